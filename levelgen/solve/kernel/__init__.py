"""The C kernel, fast and trusted with nothing; `docs/kernel.md` says how it works.

    from levelgen.solve.kernel import pairs, triples

Gates, faces and counts go in as plain numbers, so that no module here knows a ruleset, a layout or a pack. `binding`
turns them into C arrays; `ffibuild` builds the extension `_kernel`.
"""
