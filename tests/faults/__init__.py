"""What happens when something breaks: nothing is lost, doubled or reordered, and everything goes on by itself."""
