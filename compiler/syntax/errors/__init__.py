"""Messages about syntax errors.

strategy.py   ANTLR's error strategy: reports and recovers
place.py      the place of an error, and the tokens that it allows
words.py      messages about words
signs.py      messages about characters, operators and numbers
habits.py     suggestions for habits from other languages
"""
