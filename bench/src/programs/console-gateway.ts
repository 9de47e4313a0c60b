import { runProcess } from '@panel/kit/process';
import { readConfig } from '../../../gateway/dist/src/config.js';
import { startGateway } from '../../../gateway/dist/src/gateway.js';

/** The gateway as it is, but one server and one user may have any number of sockets. */
const socketLimits = { perServer: 100_000, perUser: 100_000 };

await runProcess('gateway', async () => startGateway(readConfig(), { socketLimits }));
