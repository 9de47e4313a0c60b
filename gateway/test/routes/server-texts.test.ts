import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ListServersResponse, Server, ServerVariable } from '@panel/protos/servers';
import { ServerTexts } from '../../src/routes/servers/server-texts.js';

const variable = (name: string) => ServerVariable.create({ name, envVariable: name.toUpperCase() });

/** Each server has one variable, `value`. */
function listOf(...servers: { digest: string; name: string; value: string; variablesFrom: number }[]) {
  return ListServersResponse.create({
    variables: [variable('first'), variable('second')],
    listed: servers.map(({ digest, name, value, variablesFrom }) => ({
      digest,
      variablesFrom,
      server: Buffer.from(
        Server.encode(
          Server.create({ id: randomUUID(), name, variableValues: [{ variable: 0, serverValue: value }] }),
        ).finish(),
      ),
    })),
  });
}

describe('texts of servers', () => {
  let presented = 0;
  let texts: ServerTexts;
  beforeEach(() => {
    texts = new ServerTexts(({ name, variables }) => {
      presented += 1;
      return { name, variables: variables.map((one) => `${one.name}=${one.serverValue}`) };
    });
  });
  const shown = (answer: ListServersResponse) =>
    texts.readList(answer).map(({ json }): unknown => JSON.parse(json.toString()));

  it('includes the variables of its own egg in the text of a server', () => {
    const list = listOf(
      { digest: 'a', name: 'one', value: 'x', variablesFrom: 0 },
      { digest: 'b', name: 'two', value: 'ü', variablesFrom: 1 },
    );
    expect(shown(list)).to.deep.equal([
      { name: 'one', variables: ['first=x'] },
      { name: 'two', variables: ['second=ü'] },
    ]);
  });

  it('writes the own variables of a server that is no part of a list', () => {
    const server = Server.create({ name: 'alone', variables: [{ ...variable('own'), serverValue: 'y' }] });
    const encoded = { digest: 'alone', variablesFrom: 0, server: Buffer.from(Server.encode(server).finish()) };
    const json: unknown = JSON.parse(texts.readOne({ server: undefined, encoded }).json.toString());
    expect(json).to.deep.equal({ name: 'alone', variables: ['own=y'] });
    const answer = { server: undefined, encoded };
    expect(texts.readOne(answer)).to.equal(texts.readOne(answer));
  });

  it('writes a text once for the same digest, and again for another', () => {
    const before = presented;
    const first = shown(listOf({ digest: 'c', name: 'one', value: 'x', variablesFrom: 0 }));
    expect(shown(listOf({ digest: 'c', name: 'one', value: 'x', variablesFrom: 0 }))).to.deep.equal(first);
    expect(presented).to.equal(before + 1);
    const changed = shown(listOf({ digest: 'd', name: 'renamed', value: 'x', variablesFrom: 0 }));
    expect(changed).to.deep.equal([{ name: 'renamed', variables: ['first=x'] }]);
    expect(presented).to.equal(before + 2);
  });

  it('throws where an answer lacks a variable', () => {
    expect(() => texts.readList(listOf({ digest: 'e', name: 'one', value: 'x', variablesFrom: 2 }))).to.throw(
      'a service left out variable',
    );
  });
});
