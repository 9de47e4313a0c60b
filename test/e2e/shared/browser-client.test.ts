import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { type Browser, needBrowser, openBrowser } from '../support/browser.js';
import { createGame, startGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

/** The package as a bundler resolves it for browsers. */
const program = `import { ApiError, createPanelClient } from '@panel/client';
Object.assign(globalThis, { ApiError, createPanelClient });`;

describe('@panel/client in a browser', function () {
  this.timeout(180_000);
  let page: Server;
  let test: SharedStack;
  let browser: Browser;

  before(async function () {
    const chromium = needBrowser(this);
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: fileURLToPath(new URL('../../', import.meta.url)) },
      bundle: true,
      platform: 'browser',
      write: false,
    });
    const html = `<!doctype html><title>client</title><script>${outputFiles[0]?.text}</script>`;
    page = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
    const { foreignOrigin, ...shared } = await sharedStack();
    test = shared;
    page.listen(Number(new URL(foreignOrigin).port), '127.0.0.1');
    await once(page, 'listening');
    browser = await openBrowser(chromium);
    await browser.goto(foreignOrigin);
  });

  after(async () => {
    await browser?.close();
    page?.close();
  });

  it('signs in, reads the account and uses a console', async () => {
    const { id } = await createGame(test);
    await startGame(test.admin, id);
    const credentials = [test.adminEmail, test.password].map((text) => JSON.stringify(text)).join(', ');
    const result = await browser.evaluate<{ email: string; answer: string; code: number }>(`(async () => {
      const client = createPanelClient({ baseUrl: ${JSON.stringify(test.stack.baseUrl)} });
      await client.login(${credentials});
      const { data } = await client.get('/account');
      const console = await client.openConsole(${JSON.stringify(id)});
      console.command('say from a browser');
      const where = ({ message }) => message.includes('[say] from a browser');
      const { message } = await console.next('console_output', { where });
      await console.close();
      return { email: data.email, answer: message, code: (await console.closed).code };
    })()`);
    expect(result.email).to.equal(test.adminEmail);
    expect(result.answer).to.include('[say] from a browser');
    expect(result.code).to.equal(1000);
  });

  it('throws the error of the panel when a console is refused', async () => {
    const unknownId = '00000000-0000-4000-8000-000000000000';
    const error = await browser.evaluate<{ isApiError: boolean; status: number }>(`(async () => {
      const client = createPanelClient({ baseUrl: ${JSON.stringify(test.stack.baseUrl)}, token: ${JSON.stringify(
        test.admin.token(),
      )} });
      const error = await client.openConsole('${unknownId}').catch((thrown) => thrown);
      return { isApiError: error instanceof ApiError, status: error.status };
    })()`);
    expect(error).to.deep.equal({ isApiError: true, status: 404 });
  });
});
