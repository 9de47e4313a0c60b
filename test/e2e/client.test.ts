import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { ask, createGame, power, startGame } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

describe('client with access tokens of four seconds', function () {
  this.timeout(180_000);
  let test: TestStack;
  let serverId: string;

  before(async () => {
    test = await bootStack({ JWT_ACCESS_EXPIRY: '4s' });
    ({ id: serverId } = await createGame(test));
    await startGame(test.admin, serverId);
  });

  after(async () => test?.stop());

  const signIn = async (): Promise<{ client: PanelClient; firstToken: string }> => {
    const client = createPanelClient({ baseUrl: test.stack.baseUrl });
    const tokens = await client.login(test.adminEmail, test.password);
    return { client, firstToken: tokens.access_token };
  };

  /** Until the token is refused. */
  const ended = async (token: string): Promise<void> => {
    const holder = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    await waitUntil('the end of the token', async () =>
      holder.get('/account').then(
        () => false,
        (error: unknown) => error instanceof ApiError && error.status === 401,
      ),
    );
  };

  it('refreshes silently, once for concurrent requests', async () => {
    const { client, firstToken } = await signIn();
    await ended(firstToken);
    const answers = await Promise.all(Array.from({ length: 20 }, async () => client.get('/account')));
    expect(new Set(answers.map(({ data }) => data.email))).to.deep.equal(new Set([test.adminEmail]));
    // A second exchange would reuse a token and end the session.
    const { data: sessions } = await client.get('/account/sessions');
    expect(sessions.filter(({ current }) => current)).to.have.lengthOf(1);
  });

  it('keeps its console over the expiry of its first token', async () => {
    const { client, firstToken } = await signIn();
    const console = await client.openConsole(serverId);
    await console.next('token_expiring');
    await ended(firstToken);
    await ask(console, 'say still here', '[say] still here');
    expect(client.token()).not.to.equal(firstToken);
    await console.close();
  });

  it('loses its console at sign-out', async () => {
    const { client } = await signIn();
    const console = await client.openConsole(serverId);
    await client.logout();
    expect((await console.closed).code).to.equal(4401);
    await power(test.admin, serverId, 'kill');
  });
});
