"""The laboratory: how nets and levels are made and measured. Nothing in play imports it.

Imports: engine
"""
