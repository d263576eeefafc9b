"""Syntax errors in plain words.

strategy.py   where ANTLR gets stuck, this reports
place.py      where the parser is stuck, and what could stand there
words.py      messages about one word
signs.py      messages about characters, operators and numbers
habits.py     what people bring along from other languages
"""
