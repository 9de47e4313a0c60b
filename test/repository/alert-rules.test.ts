import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { alertScenarios, quietPanel, type RaisedAlert } from './alert-scenarios.js';
import { readText } from './files.js';

interface RuleFile {
  readonly spec: { readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[] };
}

/** Part of the Debian package `prometheus`, which .ci/run installs. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('alert rules, as Prometheus reads them', function () {
  this.timeout(60_000);
  const { spec } = parse(readText('k8s/components/alerts/prometheus-rule.yaml')) as RuleFile;
  const names = spec.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  let folder: string;
  const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });

  before(function () {
    if (!hasPromtool && process.env['CI'] !== 'true') {
      process.stdout.write('promtool is not installed: the alert rules are not checked\n');
      this.skip();
    }
    folder = mkdtempSync(path.join(tmpdir(), 'panel-alerts-'));
    writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(spec));
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('finds promtool', () => {
    expect(hasPromtool, 'install the Debian package prometheus').to.equal(true);
  });

  it('passes the check of promtool', () => {
    const { status, stdout, stderr } = promtool('check', 'rules', '--lint-fatal', 'rules.json');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.include(`${names.length} rules found`);
  });

  for (const { when, series, silentAt, raisesAt, raises } of alertScenarios) {
    const raised = raises.map(({ alert }) => alert).join(' and ') || 'no alert';
    it(`raises ${raised} ${when}`, () => {
      const input = Object.entries({ ...quietPanel, ...series });
      const test = {
        interval: '15s',
        input_series: input.map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [...expectations(silentAt, []), ...expectations(raisesAt, raises)],
      };
      const file = { rule_files: ['rules.json'], evaluation_interval: '15s', tests: [test] };
      writeFileSync(path.join(folder, 'test.json'), JSON.stringify(file));
      const { status, stdout, stderr } = promtool('test', 'rules', 'test.json');
      expect(status, stdout + stderr).to.equal(0);
    });
  }

  it('raises each alert in a scenario that is silent before it is due', () => {
    const due = alertScenarios.filter(({ silentAt, raisesAt }) => silentAt.length > 0 && raisesAt.length > 0);
    const raised = new Set(due.flatMap(({ raises }) => raises.map(({ alert }) => alert)));
    expect([...raised].sort()).to.deep.equal([...names].sort());
  });

  /** At each time exactly these alerts, of all there are. */
  function expectations(times: readonly string[], raises: readonly RaisedAlert[]) {
    return times.flatMap((time) =>
      names.map((name) => ({
        eval_time: time,
        alertname: name,
        exp_alerts: raises
          .filter(({ alert }) => alert === name)
          .map(({ labels, summary }) => ({ exp_labels: labels, exp_annotations: { summary } })),
      })),
    );
  }
});
