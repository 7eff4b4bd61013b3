"""Matches as documents: with boards as text, HTML, LaTeX, PDF, PNG and SVG; games and positions.

Imports: bot.process, bot.reports, engine, protocols.formats
"""
