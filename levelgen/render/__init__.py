"""What a designer looks at: previews, films, sheets, differences, boards in the terminal.

    painter = Painter(face_set)                             keeps every prepared tile
    picture = painter.preview(position, level=12)           one phone screen                preview
    pages   = sheets([(12, deal), …], face_set, title=…)    many boards at a glance         sheet
    shots   = film(deal, moves, painter)                    a solution, move by move        film
    pages   = print_sheets(entries, painter, title=…)       the same for paper              printed
    html    = compare_page(diff, old, new, painters)        before and after                compare
    text    = blocks(picture, columns=80, lines=24)         any picture, on a terminal      blocks
    text    = show(position, colour=True, width=80)         without Pillow                  terminal

Which tile is open is asked of the law, never worked out here. Pixels are a pure function of position, pictures, theme
and Pillow's version: letters are our own strokes (`lettering`), and blending, blurring and reducing stay in integers.
"""
