"""Messages about syntax errors.

strategy.py       ANTLR's error strategy: reports and recovers
place.py          the place of an error, and the tokens that it allows
words.py          messages about words
declarations.py   messages about lines that should be declarations
signs.py          messages about characters, operators and numbers
forms.py          the forms of declarations and statements
habits.py         suggestions for habits from other languages
"""
