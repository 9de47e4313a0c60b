import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';

/** An upgrade succeeds with 101, and socket messages are referenced by an extension only. */
const isException = (finding: string) =>
  /^operation-(2xx|success)-response .*servers.*ws/.test(finding) ||
  /^no-unused-components .*Console(Message|Request)$/.test(finding);

describe('OpenAPI lint', function () {
  this.timeout(180_000);
  // Equal on every Node version, and slow.
  before(function () {
    if (readTestConfig().isFast) this.skip();
  });
  const source = JSON.stringify(createDocument(documentedRoutes));

  it('finds nothing by the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    const findings = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`);
    expect(findings.filter((finding) => !isException(finding))).to.deep.equal([]);
  });

  it('finds nothing by the OpenAPI rules of Spectral', async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
    const problems = await spectral.run(source);
    const findings = problems.map(({ code, path }) => `${code} ${path.join('/')}`);
    expect(findings.filter((finding) => !isException(finding))).to.deep.equal([]);
  });
});
