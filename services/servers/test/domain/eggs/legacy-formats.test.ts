import { expect } from 'chai';
import { checkEgg, expressionsOf } from '../../../src/domain/eggs/check-egg.js';
import { createDoneMatcher } from '../../../src/domain/eggs/done.js';
import type { EggSpec } from '../../../src/domain/eggs/egg.js';
import { readEggFile, type ImportedEgg } from '../../../src/domain/eggs/import/read-egg-file.js';
import { compileRules } from '../../../src/domain/eggs/rules.js';
import { writeEggFile } from '../../../src/domain/eggs/write-egg-file.js';
import { eggFile } from './egg-file.js';

const uuid = '8A7E2B8E-1111-4222-8333-444444444444';

function read(changes: Record<string, unknown>, leaveOut: readonly string[] = []): ImportedEgg {
  const retained = Object.entries(eggFile(changes)).filter(([name]) => !leaveOut.includes(name));
  return readEggFile(Buffer.from(JSON.stringify(Object.fromEntries(retained))), 'json');
}

function variableWith(changes: Record<string, unknown>): ImportedEgg {
  return read({ variables: [{ ...(eggFile()['variables'] as object[])[0], ...changes }] });
}

function configWith(changes: Record<string, unknown>): EggSpec['config'] {
  return read({ config: { ...(eggFile()['config'] as object), ...changes } }).spec.config;
}

describe('egg files in legacy formats', () => {
  it('accepts null, empty text and empty lists for absent fields', () => {
    for (const nothing of [null, '', [], {}, undefined]) {
      const { spec, warnings } = read({ features: nothing, file_denylist: nothing, variables: nothing });
      expect(spec, JSON.stringify(nothing)).to.deep.include({ features: [], fileDenylist: [], variables: [] });
      expect(warnings).to.deep.equal([]);
    }
    for (const nothing of [null, '', ' ', [], {}, '[]', '{}', 'null', undefined]) {
      const config = configWith({ files: nothing, startup: nothing, logs: nothing });
      expect(config, JSON.stringify(nothing)).to.deep.include({ filesJson: '{}', startupDone: [], logsJson: '{}' });
    }
  });

  it('accepts configuration sections as text and as objects', () => {
    const files = { 'a.yml': { parser: 'yaml', find: { a: 'b' } } };
    const startup = { done: ['one', 'two'], strip_ansi: true, userInteraction: ['x'] };
    const asText = configWith({
      files: JSON.stringify(files, null, 4).replaceAll('\n', '\r\n'),
      startup: JSON.stringify(startup),
    });
    expect(configWith({ files, startup })).to.deep.equal(asText);
    expect(asText).to.deep.include({
      filesJson: JSON.stringify(files),
      startupDone: ['one', 'two'],
      startupStripAnsi: true,
    });
  });

  it('ignores empty done lines', () => {
    for (const done of ['', [], [''], null]) expect(configWith({ startup: { done } }).startupDone).to.deep.equal([]);
    expect(configWith({ startup: { done: ['', 'ready'] } }).startupDone).to.deep.equal(['ready']);
  });

  it('accepts every spelling of a boolean flag', () => {
    for (const [given, meant] of [
      [true, true],
      [1, true],
      ['1', true],
      ['true', true],
      [false, false],
      [0, false],
      ['0', false],
      [null, false],
    ]) {
      const { spec } = variableWith({ user_viewable: given, user_editable: given });
      expect(spec.variables[0], JSON.stringify(given)).to.include({ userViewable: meant, userEditable: meant });
    }
  });

  it('accepts rules as text, as a list and in unreadable form', () => {
    expect(variableWith({ rules: ['required', ' in:a|b ', ''] }).spec.variables[0]?.rules).to.deep.equal([
      'required',
      'in:a|b',
    ]);
    for (const rules of [{ a: 'string' }, {}]) {
      const { spec, warnings } = variableWith({ rules });
      expect(spec.variables[0]?.rules).to.deep.equal([]);
      expect(warnings).to.have.length(1);
    }
    expect(variableWith({ rules: null }).warnings).to.deep.equal([]);
    expect(variableWith({ rules: '' }).spec.variables[0]?.rules).to.deep.equal([]);
  });

  it('accepts variables without a name and with a lower-case name', () => {
    const { spec } = variableWith({ name: null, env_variable: ' greeting ' });
    expect(spec.variables[0]).to.include({ name: 'GREETING', envVariable: 'GREETING', givenName: 'greeting' });
  });

  it('exports a lower-case name as it was given', () => {
    const { spec } = variableWith({ env_variable: 'greeting' });
    const file = writeEggFile(spec, new Date());
    expect(file).to.include('"env_variable": "greeting"');
    expect(readEggFile(Buffer.from(file), 'json').spec).to.deep.equal(spec);
  });

  it('gives a capital or renamed variable no second name', () => {
    for (const name of ['GREETING', 'HOME', 'home', 'Server_Port'])
      expect(variableWith({ env_variable: name }).spec.variables[0], name).not.to.have.property('givenName');
  });

  it('sorts variables by their sort field', () => {
    const variables = (sorts: readonly unknown[]) =>
      read({
        variables: sorts.map((sort, at) => ({ name: 'v', env_variable: `V${at}`, default_value: '', rules: '', sort })),
      });
    const names = (sorts: readonly unknown[]) => variables(sorts).spec.variables.map(({ envVariable }) => envVariable);
    expect(names([3, 1, 2])).to.deep.equal(['V1', 'V2', 'V0']);
    expect(names([3, null, 2])).to.deep.equal(['V0', 'V1', 'V2']);
  });

  it('keeps the uuid of a file and generates one when it is absent', () => {
    expect(read({ uuid }).uuid).to.equal(uuid.toLowerCase());
    for (const odd of [undefined, null, '', 'x', 7]) {
      expect(read({ uuid: odd }).uuid, JSON.stringify(odd)).to.equal(null);
    }
  });

  it('ignores an icon in the image field', () => {
    const icon = 'data:image/png;base64,AAAA';
    expect(read({ image: icon, icon }).spec.dockerImages).to.have.length(2);
    expect(() => read({ image: icon }, ['docker_images']))
      .to.throw()
      .with.nested.property('metadata.fields.docker_images');
  });

  it('ignores a startup that is an empty list or an object beside startup commands', () => {
    for (const startup of [[], {}, { Default: 'old' }, ['old'], null, '']) {
      const { spec, warnings } = read({ startup, startup_commands: { Normal: 'run', Debug: 'run -v' } });
      expect(spec.startup, JSON.stringify(startup)).to.equal('run');
      expect(spec.startupCommands.map(({ label }) => label)).to.deep.equal(['Normal', 'Debug']);
      expect(warnings).to.deep.equal([]);
    }
  });

  it('reads a startup of several commands as startup commands', () => {
    for (const nothing of [undefined, [], {}]) {
      const { spec } = read({ startup: { Normal: 'run', Debug: 'run -v' }, startup_commands: nothing });
      expect(spec.startup, JSON.stringify(nothing)).to.equal('run');
      expect(spec.startupCommands).to.deep.equal([
        { label: 'Normal', command: 'run' },
        { label: 'Debug', command: 'run -v' },
      ]);
    }
  });

  it('reads a list of startup commands', () => {
    const { spec } = read({ startup: [], startup_commands: ['run', 'run -v'] });
    expect(spec.startup).to.equal('run');
    expect(spec.startupCommands).to.deep.equal([
      { label: 'Command 1', command: 'run' },
      { label: 'Command 2', command: 'run -v' },
    ]);
  });

  it('reads lists that PHP wrote as objects', () => {
    const { spec, warnings } = read({
      features: { 1: 'eula', 3: 'java_version' },
      file_denylist: { 0: 'a.txt', 2: 'b.txt' },
      variables: { 4: (eggFile()['variables'] as object[])[0] },
      config: { ...(eggFile()['config'] as object), startup: { done: { 1: 'ready', 2: 'set' } } },
    });
    expect(spec).to.deep.include({ features: ['eula', 'java_version'], fileDenylist: ['a.txt', 'b.txt'] });
    expect(spec.variables.map(({ envVariable }) => envVariable)).to.deep.equal(['GREETING']);
    expect(spec.config.startupDone).to.deep.equal(['ready', 'set']);
    expect(warnings).to.deep.equal([]);
    expect(variableWith({ rules: { 1: 'required', 2: 'string' } }).spec.variables[0]?.rules).to.deep.equal([
      'required',
      'string',
    ]);
  });

  it('reads images as text', () => {
    expect(read({ docker_images: 'ghcr.io/example/game:1' }).spec.dockerImages).to.deep.equal([
      { label: 'ghcr.io/example/game:1', image: 'ghcr.io/example/game:1' },
    ]);
    expect(read({ docker_images: 'a:1\r\nb:2\n' }).spec.dockerImages.map(({ image }) => image)).to.deep.equal([
      'a:1',
      'b:2',
    ]);
  });

  it('removes carriage returns and outer line ends from commands, ready texts and default values', () => {
    const { spec } = read({
      startup: 'run \\\r\n  -v\r\n',
      startup_commands: { a: '\r\nrun\r\n', b: 'go\rnow' },
      config: {
        ...(eggFile()['config'] as object),
        startup: { done: ['ready\r\n', 'one\r\n\r\ntwo', 'regex:^a$\r\n'] },
      },
      variables: [{ ...(eggFile()['variables'] as object[])[0], default_value: 'a\r\nb\r\n' }],
    });
    expect(spec.startup).to.equal('run \\\n  -v');
    expect(spec.startupCommands.map(({ command }) => command)).to.deep.equal(['run', 'go\nnow']);
    expect(spec.config.startupDone).to.deep.equal(['ready', 'one', 'two', 'regex:^a$']);
    expect(spec.variables[0]?.defaultValue).to.equal('a\nb');
  });

  it('removes the byte order mark of an install script and of embedded sections', () => {
    const installation = { script: '\ufeff#!/bin/bash\necho hi', container: 'debian:bookworm', entrypoint: 'bash' };
    expect(read({ scripts: { installation } }).spec.script.install).to.equal('#!/bin/bash\necho hi');
    expect(configWith({ startup: '\ufeff{"done":"ready"}' }).startupDone).to.deep.equal(['ready']);
  });

  it('warns about a rule that cannot be run, and gives it no effect', () => {
    for (const rule of [
      'regex:/^(?<!a)b$/',
      'regex:/(/',
      'not_regex:/(?=a)/',
      'max:many',
      'regex:/^(abcdefghij){999}$/',
      `regex:/${'a'.repeat(1_001)}/`,
    ]) {
      const { spec, warnings } = variableWith({ rules: ['required', rule] });
      expect(spec.variables[0]?.rules, rule).to.deep.equal(['required', rule]);
      expect(warnings, rule).to.have.length(1);
      expect(warnings[0]).to.match(/^GREETING: the rule ".*" has no effect: /);
      expect(compileRules(spec.variables[0]?.rules ?? []).check('anything'), rule).to.deep.equal([]);
      expect(() => checkEgg(spec), rule)
        .to.throw()
        .with.nested.property('metadata.fields')
        .that.has.keys('variables.0.rules');
      expect(() => checkEgg({ ...spec, name: 'Other' }, expressionsOf(spec)), rule).not.to.throw();
    }
  });

  it('warns about a ready text that cannot be run, and gives it no effect', () => {
    const bad = 'regex:^(?=a)';
    const { spec, warnings } = read({
      config: { ...(eggFile()['config'] as object), startup: { done: [bad, 'ready'] } },
    });
    expect(spec.config.startupDone).to.deep.equal([bad, 'ready']);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^the ready text "regex:.*" has no effect: /);
    expect(createDoneMatcher(spec.config).matches('aah, ready')).to.equal(true);
    expect(() => checkEgg(spec))
      .to.throw()
      .with.nested.property('metadata.fields')
      .that.has.keys('config.startup');
    expect(() => checkEgg({ ...spec, name: 'Other' }, expressionsOf(spec))).not.to.throw();
    const alone = read({ config: { ...(eggFile()['config'] as object), startup: { done: bad } } });
    expect(alone.warnings).to.have.length(2);
    expect(alone.warnings[1]).to.match(/^there is no text that says when the game is ready/);
  });

  it('warns about a signal without ^', () => {
    for (const stop of ['SIGINT', 'sigterm']) {
      const { spec, warnings } = read({ config: { ...(eggFile()['config'] as object), stop } });
      expect(spec.config.stop).to.equal(stop);
      expect(warnings, stop).to.deep.equal([`the stop "${stop}" is sent as a command: ^${stop} is the signal`]);
    }
    for (const stop of ['^SIGINT', 'stop', 'C', 'sigh'])
      expect(read({ config: { ...(eggFile()['config'] as object), stop } }).warnings, stop).to.deep.equal([]);
  });

  it('warns about an egg without a ready text', () => {
    for (const startup of ['{"done":""}', '{}', '', { done: [' \r\n'.trim()] }]) {
      const { warnings } = read({ config: { ...(eggFile()['config'] as object), startup } });
      expect(warnings, JSON.stringify(startup)).to.have.length(1);
      expect(warnings[0]).to.include('counts as running once it is started');
    }
  });

  it('accepts a byte order mark', () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(eggFile()))]);
    expect(readEggFile(bytes, 'json').spec.name).to.equal('Echo');
  });
});
