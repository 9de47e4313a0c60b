import { runProcess } from '@panel/kit/process';
import { readConfig } from '../../../gateway/dist/src/config.js';
import { startGateway } from '../../../gateway/dist/src/gateway.js';

/** The gateway with unlimited sockets per server and user. */
const socketLimits = { perServer: 100_000, perUser: 100_000 };

await runProcess('gateway', async () => startGateway(readConfig(), { socketLimits }));
