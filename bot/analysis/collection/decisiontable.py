"""The table of decisions for notebooks: as an Arrow table, and asked in SQL by DuckDB.

    from sixprime.bot.analysis.collection.decisiontable import decisions, sql

    decisions("decisions").to_pandas()
    sql("SELECT phase, avg(loss_emg) FROM decisions GROUP BY phase").show()

`sixprime archive decisions --parquet decisions` writes the folder; docs/data.md names the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sixprime.bot.analysis.collection.parquetfiles import files_in
from sixprime.engine.system.errors import Unavailable

FOLDER = "decisions"


def decisions(folder: str | Path = FOLDER, columns: Sequence[str] | None = None) -> Any:
    """Return the decisions as a `pyarrow.Table`, whole or only these columns."""
    try:
        from pyarrow import dataset
    except ModuleNotFoundError as error:
        raise _missing("pyarrow") from error
    files = files_in(Path(folder))
    return dataset.dataset(files, format="parquet").to_table(columns=columns)


def sql(query: str, folder: str | Path = FOLDER) -> Any:
    """Return DuckDB's answer to a query of the table `decisions`, a `duckdb.DuckDBPyRelation`."""
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise _missing("duckdb") from error
    connection = duckdb.connect()
    connection.read_parquet(files_in(Path(folder))).create_view("decisions")
    return connection.sql(query)


def _missing(module: str) -> Unavailable:
    return Unavailable(f"it needs {module}, of the extra `data`: pip install 'sixprime[data]'")
