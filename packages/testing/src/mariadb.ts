import { findProgram } from '@panel/programs';
import { type ServerPrograms, startDatabaseServer, type TestDatabaseServer } from './database-server.js';

/** In a temporary directory; null when not installed. The caller stops it. */
export async function startMariadb(searchPath: string): Promise<TestDatabaseServer | null> {
  const programPath = `${searchPath}:/usr/sbin:/usr/local/sbin`;
  const server = findProgram('mariadbd', programPath);
  const installer = findProgram('mariadb-install-db', programPath);
  if (server === undefined || installer === undefined) return null;
  return startDatabaseServer(programsOf(server, installer), 'panel_admin');
}

function programsOf(server: string, installer: string): ServerPrograms {
  const options = (directory: string) => ['--no-defaults', `--datadir=${directory}/data`];
  return {
    name: 'mariadb',
    // As documented: grants cannot exceed one's own.
    files: ({ username, password }) => ({
      'init.sql': [
        `CREATE USER IF NOT EXISTS '${username}'@'127.0.0.1' IDENTIFIED BY '${password}';`,
        `GRANT ALL PRIVILEGES ON *.* TO '${username}'@'127.0.0.1' WITH GRANT OPTION;`,
        '',
      ].join('\n'),
    }),
    setUp: (directory) => [
      [installer, ...options(directory), '--auth-root-authentication-method=normal', '--skip-test-db'],
    ],
    command: (directory, port) => [
      server,
      ...options(directory),
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${directory}/socket`,
      `--pid-file=${directory}/pid`,
      `--init-file=${directory}/init.sql`,
      '--skip-name-resolve',
      '--innodb-buffer-pool-size=16M',
      '--innodb-flush-log-at-trx-commit=2',
      '--max-connections=100',
    ],
  };
}
