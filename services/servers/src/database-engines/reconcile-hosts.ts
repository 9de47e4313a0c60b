import { messageOf } from '@panel/kit/errors';
import type { DatabaseHost, HostReport } from '../domain/databases/database.js';
import type { DatabaseDeps } from './dependencies.js';

const maxListed = 1_000;

/** The first replica to claim a host compares it. */
export async function reconcileHosts(deps: DatabaseDeps, intervalMs: number): Promise<void> {
  const hosts = await deps.stores.databaseHosts.claimChecks(intervalMs);
  await Promise.all(hosts.map((host) => reconcileHost(deps, host)));
}

/** Only reports differences: a second panel may use the host. Errors of the host do not reject. */
export async function reconcileHost(deps: DatabaseDeps, host: DatabaseHost): Promise<HostReport> {
  const { databases, databaseHosts } = deps.stores;
  const checkedAt = deps.clock();
  try {
    // Before and after: a concurrent create or drop is in one of them.
    const before = await databases.ofHost(host.id);
    const found = await deps.databaseEngines[host.engine].inventory(host);
    const after = await databases.ofHost(host.id);
    const [names, users] = [new Set<string>(), new Set<string>()];
    for (const { name, username } of [...before, ...after]) {
      names.add(name.toLowerCase());
      users.add(username);
    }
    const present = new Set(found.databases.map((name) => name.toLowerCase()));
    const lasting = new Set(after.filter(({ state }) => state === 'active').map(({ id }) => id));
    const missing = before.filter(
      ({ id, state, name }) => state === 'active' && lasting.has(id) && !present.has(name.toLowerCase()),
    );
    const report: HostReport = {
      checkedAt,
      isReachable: true,
      error: null,
      orphanDatabases: found.databases.filter((name) => !names.has(name.toLowerCase())).slice(0, maxListed),
      orphanUsers: found.users.filter((name) => !users.has(name)).slice(0, maxListed),
      missingDatabases: missing.map(({ name }) => name).slice(0, maxListed),
    };
    const count = report.orphanDatabases.length + report.orphanUsers.length + report.missingDatabases.length;
    if (count > 0) deps.log.warn({ hostId: host.id, count }, 'a database host differs from the records of the panel');
    await databaseHosts.saveReport(host.id, report);
    return report;
  } catch (error) {
    deps.log.warn({ err: error, hostId: host.id }, 'a database host could not be compared');
    const report = { ...host.report, checkedAt, isReachable: false, error: messageOf(error).slice(0, 200) };
    await databaseHosts.saveReport(host.id, report);
    return report;
  }
}
