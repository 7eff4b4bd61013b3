"""Levels against each other, and the ratings that follow.

Imports: engine
"""
