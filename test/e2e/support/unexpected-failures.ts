import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface LogLine {
  readonly service?: string;
  readonly rpc?: string;
  readonly route?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
}

const maxShown = 3;

export function unexpectedFailures(logDir: string): string {
  if (!existsSync(logDir)) return '';
  const lines = readdirSync(logDir)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(path.join(logDir, name), 'utf8').split('\n'))
    .filter((line) => line.includes('failed unexpectedly'));
  return lines.slice(-maxShown).map(describe).join('; ');
}

function describe(line: string): string {
  try {
    const { service, rpc, route, err } = JSON.parse(line) as LogLine;
    const where = err?.stack?.split('\n').slice(1, 4).join(' ').replaceAll(/\s+/g, ' ') ?? '';
    return `${service} ${rpc ?? route ?? ''}: ${err?.type}: ${err?.message} ${where}`.slice(0, 600);
  } catch {
    return line.slice(0, 600);
  }
}
