import { expect } from 'chai';
import { checkEgg, isSavable } from '../../src/staff/eggs/check-egg.js';
import { type EggDraft, newVariable, splitRules } from '../../src/staff/eggs/egg-draft.js';

const draft = (changes: Partial<EggDraft> = {}): EggDraft => ({
  name: 'Caves',
  description: '',
  images: 'Java 21 | ghcr.io/owner/java:21\nghcr.io/owner/java:17',
  startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{JAR}}',
  commands: '',
  stop: '^C',
  done: 'started\nregex:^Done \\(',
  configFiles: '{}',
  install: 'echo hello',
  container: 'debian:bookworm-slim',
  entrypoint: 'bash',
  denylist: '',
  variables: [{ ...newVariable(), name: 'Jar', env_variable: 'JAR', default_value: 'server.jar' }],
  ...changes,
});
const variable = (changes: object) =>
  draft({ variables: [{ ...newVariable(), name: 'Jar', env_variable: 'JAR', ...changes }] });
const problems = (given: EggDraft) =>
  Object.entries(checkEgg(given)).map(([field, { key, value }]) => [field, key, value].join(' ').trim());

describe('an egg while it is typed', () => {
  it('reports no problem when everything is right', () => {
    expect(problems(draft())).to.deep.equal([]);
  });

  it('needs a name, a command and an image', () => {
    const found = problems(draft({ name: ' ', startup: '', images: '' }));
    expect(found).to.deep.equal(['name egg.required', 'startup egg.required', 'docker_images egg.required']);
  });

  it('names labels that are there twice and images that are none', () => {
    expect(problems(draft({ images: 'a | debian:12\na | debian:11' }))).to.deep.equal(['docker_images egg.twice a']);
    expect(problems(draft({ images: 'a | not an image' }))).to.deep.equal([
      'docker_images egg.wrong-image not an image',
    ]);
  });

  it('finds broken JSON and broken expressions', () => {
    expect(problems(draft({ configFiles: '{' }))[0]).to.match(/^config\.files egg\.wrong-json/);
    expect(problems(draft({ configFiles: '[]' }))[0]).to.match(/^config\.files egg\.wrong-json/);
    expect(problems(draft({ done: 'regex:(' }))).to.deep.equal(['config.startup egg.wrong-expression regex:(']);
  });

  it('checks names, rules and defaults of variables', () => {
    expect(problems(variable({ env_variable: 'jar file' }))).to.include('variables.0.env_variable egg.wrong-env');
    expect(problems(variable({ rules: 'required|between' }))).to.deep.equal([
      'variables.0.rules egg.rule-value between',
    ]);
    expect(problems(variable({ rules: 'regex:/^(a|b$/' }))[0]).to.match(/^variables\.0\.rules egg\.wrong-expression/);
    expect(problems(variable({ rules: 'in:a,b', default_value: 'c' }))).to.deep.equal([
      'variables.0.default_value egg.default-not-allowed a, b',
    ]);
    expect(problems(variable({ rules: 'integer', default_value: 'many' }))).to.deep.equal([
      'variables.0.default_value egg.default-no-integer',
    ]);
    const twice = { ...newVariable(), name: 'Jar', env_variable: 'JAR' };
    expect(problems(draft({ variables: [twice, { ...twice, key: 'other' }] }))).to.have.length(2);
  });

  it('saves an egg with rules and variables that the panel does not know', () => {
    const unknown = variable({ rules: 'required|starts_with_a_letter' });
    expect(problems(unknown)).to.deep.equal(['variables.0.rules egg.unknown-rule starts_with_a_letter']);
    expect(isSavable(checkEgg(unknown))).to.equal(true);
    expect(isSavable(checkEgg(draft({ startup: '{{WHERE}}' })))).to.equal(true);
    expect(isSavable(checkEgg(draft({ name: '' })))).to.equal(false);
  });

  it('keeps what stands after regex: as one rule', () => {
    expect(splitRules('required|regex:/^(a|b)$/')).to.deep.equal(['required', 'regex:/^(a|b)$/']);
    expect(splitRules('regex:/^a|b$/')).to.deep.equal(['regex:/^a|b$/']);
    expect(splitRules('required|string|max:20')).to.deep.equal(['required', 'string', 'max:20']);
  });
});
