import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { parse } from 'yaml';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

interface RuleFile {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}

const words = new Set(['by', 'on', 'or', 'unless']);

/** Names that are no function, word, label or text. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|on) \([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_]+(?![a-z_]|\s*\()/g)].map(([name]) => name).filter((name) => !words.has(name));
}

/** `kind=~"a|b",outcome="failed"` as pairs of label and value. */
function selectorsIn(expr: string): [string, string, string][] {
  return [...expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label = '', values = '']) =>
      values.split('|').map((value): [string, string, string] => [metric, label, value]),
    ),
  );
}

describe('alert rules', function () {
  this.timeout(180_000);
  const file = parse(readFileSync(`${root}k8s/components/alerts/prometheus-rule.yaml`, 'utf8')) as RuleFile;
  const rules = file.spec.groups.flatMap((group) => group.rules);
  let test: SharedStack;
  before(async () => {
    test = await sharedStack();
  });

  const scrape = async (): Promise<string> => {
    const texts = Object.values(test.stack.metrics).map(async (address) =>
      (await fetch(`http://${address}/metrics`)).text(),
    );
    return (await Promise.all(texts)).join('\n');
  };

  it('reads metrics out of an expression', () => {
    const expr = 'sum by (service) (increase(job_runs_total{outcome="failure"}[15m])) > 2 unless on () min(x_up) == 0';
    expect(metricsIn(expr)).to.deep.equal(['job_runs_total', 'x_up']);
    expect(selectorsIn(expr)).to.deep.equal([['job_runs_total', 'outcome', 'failure']]);
  });

  it('asks for metrics, labels and values that the processes show', async () => {
    // Without mutual TLS there is no certificate to show, and without an engine behind TLS none of a node.
    const withTls = ['certificate_end_timestamp_seconds', 'servers_node_certificate_end_timestamp_seconds'];
    let text = '';
    await waitUntil('the first look at the nodes', async () => {
      text = await scrape();
      return ['engine_up', 'files_up', 'clock_offset_seconds'].every((name) => text.includes(`servers_node_${name}{`));
    });
    for (const { alert, expr } of rules) {
      const metrics = metricsIn(expr);
      expect(metrics, alert).not.to.deep.equal([]);
      for (const metric of metrics) {
        expect(text, `${alert}: ${metric}`).to.match(new RegExp(`^# TYPE ${metric} `, 'm'));
        if (!withTls.includes(metric)) expect(text, `${alert}: ${metric}`).to.match(new RegExp(`^${metric}[{ ]`, 'm'));
      }
      for (const [metric, label, value] of selectorsIn(expr))
        expect(text, `${alert}: ${label}="${value}"`).to.match(
          new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, 'm'),
        );
    }
  });

  it('raises one alert for each cause, and one for all jobs of a service', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).to.equal(names.length);
    for (const { alert, expr } of rules) expect(expr, alert).to.match(/^(count|sum|min|max)\b/);
    for (const { alert, expr } of rules.filter(({ expr }) => expr.includes('job_')))
      expect(expr, alert)
        .to.match(/^sum by \(service\)/)
        .and.include('unless on () min(avg_over_time(dependency_up{dependency="mongo"}');
  });
});
