import { fileURLToPath } from 'node:url';
import { runLauncher } from '../../src/main.js';

/* `npm start` over stand-in services, as scripts/start.mjs runs it once everything is compiled. */
await import(new URL('../../../../../scripts/stop-with-npm.mjs', import.meta.url).href);
await runLauncher({ programOf: () => fileURLToPath(new URL('./service.js', import.meta.url)) });
