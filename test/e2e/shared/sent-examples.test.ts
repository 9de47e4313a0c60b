import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

interface Refusal {
  readonly error?: { readonly message: string; readonly details: Readonly<Record<string, readonly string[]>> };
}

/** Allowed refusals of values that an example cannot supply. */
const ofValues: readonly string[] = [
  'is empty',
  'is no node',
  'is no egg',
  'is no user',
  'is not a role',
  'is not a variable of this egg',
  'is not a valid code for this order',
  'is not a valid gift code',
  'is not for sale',
  'is not your current password',
  'is a name that cannot be resolved',
  'must be one of the images the egg offers',
  'must be allocations of this server',
  'must be one that the server has',
  'must be the label of one the egg offers',
  // the settings example's mail server
  'the host name cannot be resolved',
];

/** Ends the session of the other examples. */
const leftOut = 'post /api/v1/auth/logout';

describe('examples of the OpenAPI document', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let serverId: string;
  before(async () => {
    test = await sharedStack();
    const limits = { databases_limit: 2, backups_limit: 2, allocations_limit: 3 };
    serverId = (await createGame(test, { name: 'examples', ...limits })).id;
  });

  async function send(method: string, path: string, example: unknown): Promise<string | null> {
    const isOfServer = path.startsWith('/api/v1/servers/{id}') || path.startsWith('/api/v1/admin/servers/{id}');
    const address = path
      .replace('{id}', isOfServer ? serverId : randomUUID())
      .replaceAll(/\{[^}]+\}/g, () => randomUUID());
    const response = await fetch(`${test.stack.baseUrl}${address}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${test.admin.token() ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify(example),
    });
    const text = await response.text();
    if (response.status !== 400 && response.status !== 422 && response.status < 500) return null;
    if (response.status === 503) return null;
    const { error } = JSON.parse(text) as Refusal;
    const messages = response.status === 422 ? Object.values(error?.details ?? {}).flat() : [];
    const isOfValues =
      messages.length > 0 && messages.every((message) => ofValues.some((one) => message.startsWith(one)));
    return isOfValues ? null : `${method} ${path}: ${response.status} ${text}`;
  }

  it('accepts the examples of the document as bodies', async () => {
    const document = (await (await test.admin.download('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const refused: string[] = [];
    let sent = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const example = requestBody?.content['application/json']?.example;
        if (example === undefined || `${method} ${path}` === leftOut) continue;
        sent += 1;
        const problem = await send(method, path, example);
        if (problem !== null) refused.push(problem);
      }
    }
    expect(refused).to.deep.equal([]);
    expect(sent).to.be.above(50);
  });
});
