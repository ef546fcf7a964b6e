"""Packs: levels as signed, tamper-evident files.

    strict     JSON read strictly, written one way            records    records, certificates, boards as lines
    merkle     the tree over the records                      signing    DSSE envelopes, Ed25519 keys, trust roots
    manifest   what is signed                                 archive    directories and `.lgpack` files, read alike
    write      build a pack; it takes its place whole         verify     open and check a pack
    diff       what changed between two packs                 signers    keys in files, variables, commands
    trust      roles, rotation, revocation                    release    what is current; what a client remembers
    channel    a folder of trust roots, releases, packs       publish    writes it, whole or not at all

`levelgen.verify` gives a game server the names it needs. Nothing here imports more than the standard library and
`cryptography`; Pillow is used, if present, to compare pictures in `verify_pack`.
"""
