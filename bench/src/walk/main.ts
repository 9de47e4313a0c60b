import { parseArgs } from 'node:util';
import { bounds, excessOf } from './bounds.js';
import { type Walked, Walks } from './walk.js';

/*
 * npm run walk: compares the requests of `bounds` with their bounds, and ends with 1 when one is exceeded.
 * npm run walk -- "PUT /servers/{id}/startup" ['{"environment":{}}']: files and gRPC calls of one request, per process.
 * `{id}` is a stopped server; a non-JSON body is sent as bytes. The activity log is delivered after the answer: rounds
 * without a request deliver as many events.
 */
const rounds = 8;
const roundsOfBounded = 4;

const { positionals } = parseArgs({ allowPositionals: true });
const [line, body] = positionals;
if (line !== undefined && !/^(GET|POST|PUT|PATCH|DELETE) \//.test(line)) {
  process.stderr.write('npm run walk [-- "METHOD /path/{id}" [body]]\n');
  process.exitCode = 2;
} else {
  const walks = await Walks.open();
  try {
    if (line === undefined) await compare(walks);
    else print(line, await walks.walk(line, body, rounds));
  } finally {
    await walks.close();
  }
}

async function compare(walks: Walks): Promise<void> {
  for (const bound of bounds) {
    const { status, request } = await walks.walk(bound.line, bound.body, roundsOfBounded);
    const excess = excessOf(bound, { status, files: request.files, calls: request.calls });
    process.stdout.write(
      `${bound.line}: ${request.files} of ${bound.files} files, ${request.calls} of ${bound.calls} gRPC calls\n`,
    );
    if (excess.length === 0) continue;
    process.stderr.write(`${excess.join('\n')}\n${request.lines.join('\n')}\n`);
    process.exitCode = 1;
  }
}

function print(title: string, { status, request, beside }: Walked): void {
  const others =
    beside.files > 0 ? ['', 'beside the request (delivery of its activity, periodic jobs):', ...beside.lines] : [];
  const sums = [
    `the request: ${request.files} files, ${request.calls} gRPC calls`,
    `beside it: ${beside.files} other files, ${beside.calls} gRPC calls`,
  ];
  process.stdout.write(`${[`${title} → ${status}`, ...request.lines, ...others, '', ...sums].join('\n')}\n`);
}
