"""The alert rules and the dashboard: they ask for metrics that there are, and promtool runs the rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cpol.compiler.toolchain import cache
from cpol.runtime.operate.loader.statistics import End, Statistics
from cpol.runtime.operate.watch import families

FOLDER = Path(__file__).resolve().parents[2] / "runtime" / "operate" / "watch"
RULES, DASHBOARD = FOLDER / "alerts.yml", FOLDER / "dashboard.json"


def exported() -> dict[str, set[str]]:
    """All metrics of `cpolc metrics`, with the labels that each may have."""
    end = End("watchdog", 0, "rotates", 1000, True)
    evict, prefetch = (dict.fromkeys(keys, 1) for keys in (families.KNOWN, families.PREFETCH_KNOWN))
    policies = [
        Statistics(1, "/a", "lru", "overruled", evict, (1,), ("queue",), "rotates", end, attached_ms=5),
        Statistics(2, "/b", "leap", "attached", prefetch, prefetches=True, latency=(1, 2)),
    ]
    found: dict[str, set[str]] = {}
    for line in families.text(lambda: policies).splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition("{")
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', rest))
    return found


def check_expression(text: str, known: dict[str, set[str]]) -> None:
    names = set(re.findall(r"\bcpol_\w+", re.sub(r'"[^"]*"', "", text)))
    assert names and names <= {*known}, (text, names - {*known})
    for name, labels in re.findall(r"(cpol_\w+)\{([^}]*)\}", text):
        assert set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels)) <= known[name], text


def expressions(value: Any) -> list[str]:
    """The values of all keys `expr` of a JSON value."""
    text = json.dumps(value)
    return [json.loads(f'"{one}"') for one in re.findall(r'"expr": "((?:[^"\\]|\\.)*)"', text)]


def test_dashboard_shows_metrics_that_there_are() -> None:
    board, known = json.loads(DASHBOARD.read_text()), exported()
    found = expressions(board)
    assert len(found) > 15
    for text in found:
        check_expression(text, known)
    shown = set(re.findall(r"cpol_\w+", " ".join(found)))
    for metric in ("cpol_policy_info", "cpol_fallback_pages_total", "cpol_nomem_total", "cpol_build_info"):
        assert metric in shown
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len({*cells}) and max(x for x, _ in cells) == 23, "panels overlap"
    assert all(target["datasource"]["uid"] == "${datasource}" for panel in panels for target in panel["targets"])


def test_rules_ask_for_metrics_that_there_are() -> None:
    known = exported()
    found = re.split(r"\n      - alert: ", RULES.read_text())[1:]
    assert len(found) >= 6
    for rule in found:
        expression = re.search(r"expr: (?:>-\n)?(.*?)\n        (?:for|labels):", rule, re.DOTALL)
        assert expression, rule
        check_expression(expression[1], known)
    for metric in ("cpol_fallback_pages_total", "cpol_nomem_total", 'state="overruled"', 'state="broken off"'):
        assert metric in RULES.read_text()


@pytest.fixture(scope="session")
def promtool() -> Path:
    """Prometheus' own tool: the installed one, or that of Debian's package, which is unpacked into the cache."""
    if found := shutil.which("promtool"):
        return Path(found)

    def make(target: Path) -> None:
        folder = target.parent / f"{target.name}.unpacked"
        folder.mkdir()
        try:
            # Debian 13 has a package of its own for it; Debian 12 has it in the server's.
            own, server = (["apt-get", "download", "-q", name] for name in ("promtool", "prometheus"))
            for command in (own, server, ["apt-get", "update", "-q"], own, server):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
                if command in (own, server) and done.returncode == 0:
                    break
            else:
                pytest.fail(f"no promtool on PATH, and apt-get brings no package promtool or prometheus: {done.stderr}")
            (package,) = folder.glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
            shutil.copy(folder / "root" / "usr" / "bin" / "promtool", target)
        finally:
            shutil.rmtree(folder)

    return cache.find_or_make("promtool", "promtool", make)


def test_promtool_takes_the_rules(promtool: Path) -> None:
    done = subprocess.run([promtool, "check", "rules", RULES], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stdout + done.stderr


def test_promtool_takes_the_metrics(promtool: Path) -> None:
    policies = [Statistics(1, "/a", "lru", "attached", {"hits": 1, "nomem": 2}, attached_ms=5)]
    page = families.text(lambda: policies)
    done = subprocess.run([promtool, "check", "metrics"], input=page, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


Series = dict[str, str]
LABELS = 'cgroup="/a",id="7",policy="lru"'
KIND = f'{LABELS},kind="evict"'
QUIET = {
    f'cpol_policy_info{{{KIND},state="attached"}}': "1x40",
    f"cpol_fallback_pages_total{{{LABELS}}}": "0+600x40",
    f"cpol_evicted_pages_total{{{LABELS}}}": "0+60000x40",
    f"cpol_nomem_total{{{LABELS}}}": "3x40",
    f"cpol_offences_total{{{LABELS}}}": "0+1x40",
    f'cpol_policy_exit_timestamp_seconds{{{KIND},exit="replaced",code="0",message=""}}': "900x40",
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("alert", "change"),
    [
        (None, {}),
        ("CpolPolicyOverruled", {f'cpol_policy_info{{{KIND},state="overruled",reason="rotates"}}': "1x40"}),
        ("CpolPolicyGap", {f'cpol_policy_info{{{KIND},state="broken off"}}': "1x40"}),
        ("CpolPolicyNotAttached", {f'cpol_policy_info{{{KIND},state="ended",exit="error"}}': "1x40"}),
        (
            "CpolPolicyEnded",
            {f'cpol_policy_exit_timestamp_seconds{{{KIND},exit="watchdog",code="0",message="rotates"}}': "1500x40"},
        ),
        ("CpolFallback", {f"cpol_fallback_pages_total{{{LABELS}}}": "0+30000x40"}),
        ("CpolOffences", {f"cpol_offences_total{{{LABELS}}}": "0+5x40"}),
        ("CpolNoMemory", {f"cpol_nomem_total{{{LABELS}}}": "3x30 4x10"}),
    ],
)
def test_alerts_fire_when_they_should(
    promtool: Path, tmp_path: Path, alert: str | None, change: dict[str, str]
) -> None:
    """Of all alerts after half an hour, only this one fires."""
    names = re.findall(r"alert: (\w+)", RULES.read_text())
    found = []
    for name in names:
        series = [{"series": key, "values": value} for key, value in {**QUIET, **change}.items()]
        lines = {
            "rule_files": [str(RULES)],
            "evaluation_interval": "1m",
            "tests": [
                {
                    "interval": "1m",
                    "input_series": series,
                    "alert_rule_test": [{"eval_time": "32m", "alertname": name, "exp_alerts": []}],
                }
            ],
        }
        (tmp_path / "test.yml").write_text(json.dumps(lines))
        done = subprocess.run(
            [promtool, "test", "rules", tmp_path / "test.yml"], capture_output=True, text=True, check=False
        )
        assert "SUCCESS" in done.stdout or "got:" in done.stdout + done.stderr, done.stdout + done.stderr
        if done.returncode != 0:
            found.append(name)
    assert found == ([alert] if alert else [])
