import type { ServedService } from '@panel/rpc';
import type { ServersContext } from '../context.js';
import { serveAllocations } from './allocation/index.js';
import { serveBackups } from './backup/index.js';
import { serveConsoles } from './console/index.js';
import { serveDatabases } from './database/index.js';
import { serveDatabaseHosts } from './database-host/index.js';
import { serveEggs } from './egg/index.js';
import { serveNests } from './nest/index.js';
import { serveNodes } from './node/index.js';
import { serveOwnership } from './ownership/index.js';
import { serveRegistries } from './registry/index.js';
import { serveSchedules } from './schedule/index.js';
import { serveServers } from './server/index.js';
import { serveSubusers } from './subuser/index.js';
import { serveUsage } from './usage/index.js';

export function createHandlers(context: ServersContext): ServedService[] {
  return [
    serveAllocations(context),
    serveBackups(context),
    serveConsoles(context),
    serveDatabases(context),
    serveDatabaseHosts(context),
    serveEggs(context),
    serveNests(context),
    serveNodes(context),
    serveOwnership(context),
    serveRegistries(context),
    serveSchedules(context),
    serveServers(context),
    serveSubusers(context),
    serveUsage(context),
  ];
}
