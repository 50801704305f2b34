"""The web page: games, replays, imports. Rendered here at any version and for any viewer, then enhanced.

Every part of the table is rendered by the server, in one place: the script only puts the parts of another
version where those of the last one were. So the page without scripts and the page with them cannot differ.
"""
