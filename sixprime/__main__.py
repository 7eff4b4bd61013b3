"""`python -m sixprime` is the command `sixprime`."""

from sixprime.bot.cli.main import run

if __name__ == "__main__":
    run()
