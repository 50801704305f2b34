"""The rules of Lanterloo (Loo): five-card, three-card and Irish; pure, and knowing no other game."""
