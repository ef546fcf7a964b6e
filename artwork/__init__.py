"""How the face sets under `faces/` are drawn; `python -m artwork` draws every picture again.

A picture is one function that puts a few bold shapes on a `Canvas`; a set is a table of such functions.
All of it is provisional until a set's manifest says otherwise. The wheel does not ship this package: whoever
plays needs the PNGs only.

    brush     points, paths and the canvas that shades and outlines them
    nature, animals, things, places     the pictures of AR1, by subject
    ar1       the table of the set AR1
    nepal     the pictures and the table of the set nepal
"""
