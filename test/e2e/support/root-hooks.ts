import { stopSharedStack } from './shared-stack.js';
import { closeWebBrowser } from './web.js';

/* Required by .mocharc.json: ends what the files of a process share. */
export const mochaHooks: Mocha.RootHookObject = {
  afterAll: [closeWebBrowser, stopSharedStack],
};
