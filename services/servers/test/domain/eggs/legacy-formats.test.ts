import { expect } from 'chai';
import type { EggSpec } from '../../../src/domain/eggs/egg.js';
import { readEggFile, type ImportedEgg } from '../../../src/domain/eggs/import/read-egg-file.js';
import { eggFile } from './egg-file.js';

const uuid = '8A7E2B8E-1111-4222-8333-444444444444';

function read(changes: Record<string, unknown>, leaveOut: readonly string[] = []): ImportedEgg {
  const kept = Object.entries(eggFile(changes)).filter(([name]) => !leaveOut.includes(name));
  return readEggFile(Buffer.from(JSON.stringify(Object.fromEntries(kept))), 'json');
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
    for (const rules of [{ 0: 'string' }, {}]) {
      const { spec, warnings } = variableWith({ rules });
      expect(spec.variables[0]?.rules).to.deep.equal([]);
      expect(warnings).to.have.length(1);
    }
    expect(variableWith({ rules: null }).warnings).to.deep.equal([]);
    expect(variableWith({ rules: '' }).spec.variables[0]?.rules).to.deep.equal([]);
  });

  it('accepts variables without a name and with a lower-case name', () => {
    const { spec } = variableWith({ name: null, env_variable: ' greeting ' });
    expect(spec.variables[0]).to.include({ name: 'GREETING', envVariable: 'GREETING' });
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

  it('accepts a byte order mark', () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(eggFile()))]);
    expect(readEggFile(bytes, 'json').spec.name).to.equal('Echo');
  });
});
