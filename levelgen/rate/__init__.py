"""How hard a level is, in integers."""
