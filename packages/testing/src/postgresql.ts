import { readdirSync } from 'node:fs';
import { findProgram } from '@panel/programs';
import { type ServerPrograms, startDatabaseServer, type TestDatabaseServer } from './database-server.js';

/** In a temporary directory; null when not installed. The caller stops it. */
export async function startPostgresql(searchPath: string): Promise<TestDatabaseServer | null> {
  const programPath = [searchPath, ...debianDirectories()].join(':');
  const server = findProgram('postgres', programPath);
  const initdb = findProgram('initdb', [...debianDirectories(), searchPath].join(':'));
  if (server === undefined || initdb === undefined) return null;
  return startDatabaseServer(programsOf(server, initdb), 'panel_admin');
}

/** Debian has a directory per version: newest first. */
function debianDirectories(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    return readdirSync(root)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => `${root}/${version}/bin`);
  } catch {
    return []; // not Debian, or not installed
  }
}

function programsOf(server: string, initdb: string): ServerPrograms {
  return {
    name: 'postgresql',
    files: ({ password }) => ({ password: `${password}\n` }),
    setUp: (directory, { username }) => [
      [
        initdb,
        `--pgdata=${directory}/data`,
        `--username=${username}`,
        `--pwfile=${directory}/password`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-sync',
      ],
    ],
    command: (directory, port) => [
      server,
      '-D',
      `${directory}/data`,
      '-p',
      `${port}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${directory}`,
      '-c',
      'fsync=off',
      '-c',
      'shared_buffers=16MB',
    ],
  };
}
