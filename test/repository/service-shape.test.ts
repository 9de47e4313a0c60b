import path from 'node:path';
import { expect } from 'chai';
import { filesBelow, readText } from './files.js';

/*
 * The shape of a service (ADR 14) beyond what lint sees in one import: handlers see use cases only, `_id` stays in models/, a
 * name means one function.
 */

/** Services in this shape. */
const services = ['identity', 'servers', 'files', 'billing', 'admin'];
/** Folders of every service; others are named in oxlint.config.ts. */
const layers = ['domain', 'handlers', 'models', 'orchestrator', 'present', 'usecases'];
const maxContextLines = 80;

interface Source {
  /** Below `src/` of the service. */
  readonly file: string;
  readonly text: string;
}

function sourcesOf(service: string): Source[] {
  const folder = path.join('services', service, 'src');
  return filesBelow(folder, '.ts').map((file) => ({ file: path.relative(folder, file), text: readText(file) }));
}

const isHandler = ({ file }: Source) => /^handlers\/[^/]+\/(?!index\.ts|read-)[^/]+\.ts$/.test(file);
const camelCase = (name: string) => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
const exportsOf = ({ text }: Source) =>
  [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name ?? '');

/** What is wrong with the shape of a service. */
function problemsOf(service: string, sources: readonly Source[]): string[] {
  const handlers = sources.filter(isHandler);
  return [
    ...handlers.flatMap(handlerProblems),
    ...indexProblems(sources),
    ...sources.filter(({ file }) => !file.startsWith('models/')).flatMap(idProblems),
    ...sources
      .filter(({ file }) => !/^(?:handlers|present)\//.test(file))
      .flatMap((one) => messageProblems(service, one)),
    ...sources.flatMap(aliasProblems),
    ...nameProblems(sources),
    ...contextProblems(sources),
  ];
}

function handlerProblems(source: Source): string[] {
  const { file, text } = source;
  const expected = `handle${camelCase(path.basename(file, '.ts'))}`;
  const problems: string[] = [];
  if (exportsOf(source).join() !== expected) problems.push(`${file} exports something else than ${expected}`);
  if (!/from '\.\.\/\.\.\/usecases\//.test(text)) problems.push(`${file} calls no use case`);
  const looks = /\}: (?:Pick<)?\w+Context\b/.test(text) || partsOfContext(text).some((part) => isRead(text, part));
  if (looks) problems.push(`${file} looks into the context`);
  return problems;
}

/** Names of the context and of parts of it, but those that count. */
function partsOfContext(text: string): string[] {
  const taken = [...text.matchAll(/const \{ ([^}]*) \} = context;/g)].flatMap(([, names = '']) => names.split(', '));
  const parameters = [...text.matchAll(/(\w+): \w+Context\['/g)].map(([, name = '']) => name);
  return ['context', ...taken, ...parameters].filter((name) => name !== 'metrics');
}

function isRead(text: string, part: string): boolean {
  return new RegExp(`(?<![/.-])\\b${part}\\.\\w`).test(text);
}

function indexProblems(sources: readonly Source[]): string[] {
  const folders = new Set(sources.filter(isHandler).map(({ file }) => path.dirname(file)));
  const files = new Set(sources.map(({ file }) => file));
  return [...folders].filter((folder) => !files.has(`${folder}/index.ts`)).map((folder) => `${folder} has no index.ts`);
}

function idProblems({ file, text }: Source): string[] {
  return /(?<![\w.]|\bapi)_id\b/.test(text.replaceAll(/'[^'\n]*'/g, "''")) ? [`${file} knows _id`] : [];
}

/** Rooms that call the same service of another node, as `service/room`. */
const callersOfOthers = ['files/backups', 'files/transfers'];

function messageProblems(service: string, { file, text }: Source): string[] {
  if (callersOfOthers.includes(`${service}/${file.split('/', 1)[0]}`)) return [];
  return text.includes(`from '@panel/protos/${service}'`) ? [`${file} knows messages of its own service`] : [];
}

function aliasProblems({ file, text }: Source): string[] {
  const imports = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '[^']*\/usecases\/[^']*'/g)];
  return imports.some(([, names]) => / as /.test(names ?? '')) ? [`${file} renames a use case`] : [];
}

function nameProblems(sources: readonly Source[]): string[] {
  const places = new Map<string, string[]>();
  for (const source of sources)
    for (const name of exportsOf(source)) places.set(name, [...(places.get(name) ?? []), source.file]);
  return [...places]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name} is in ${files.join(', ')}`);
}

function contextProblems(sources: readonly Source[]): string[] {
  const lines = sources.find(({ file }) => file === 'context.ts')?.text.split('\n').length ?? 0;
  return lines - 1 > maxContextLines ? [`context.ts has more than ${maxContextLines} lines`] : [];
}

describe('the shape of a service', () => {
  for (const service of services) {
    it(`${service} has no folder without a wall`, () => {
      const [, walls = ''] =
        new RegExp(`^  ${service}: (\\{.*?\\n  \\}|\\{.*?\\}),$`, 'ms').exec(readText('oxlint.config.ts')) ?? [];
      const named = new Set([...layers, ...(walls.match(/[\w-]+/g) ?? [])]);
      const folders = sourcesOf(service).flatMap(({ file }) =>
        file.includes('/') ? [file.split('/', 1)[0] ?? ''] : [],
      );
      expect([...new Set(folders)].filter((folder) => !named.has(folder))).to.deep.equal([]);
    });

    it(`${service} keeps the shape`, () => {
      const sources = sourcesOf(service);
      expect(sources.filter(isHandler)).to.have.length.of.at.least(5);
      expect(problemsOf(service, sources)).to.deep.equal([]);
    });
  }

  const usecase = "import { getUser } from '../../usecases/users/get-user.js';\n";
  const handler = (text: string) => ({ file: 'handlers/user/get-user.ts', text });
  const body = 'export function handleGetUser(context: XContext) { return getUser(context); }\n';
  const index = { file: 'handlers/user/index.ts', text: '' };
  for (const [problem, sources] of [
    ['handlers/user/get-user.ts calls no use case', [handler(body), index]],
    ['handlers/user/get-user.ts looks into the context', [handler(`${usecase}${body}context.users.find();`), index]],
    [
      'handlers/user/get-user.ts exports something else than handleGetUser',
      [handler(`${usecase}export function getUser() {}`), index],
    ],
    [
      'handlers/user/get-user.ts looks into the context',
      [handler(`${usecase}${body}const { users } = context;\nusers.find();`), index],
    ],
    [
      'handlers/user/get-user.ts looks into the context',
      [handler(`${usecase}${body.replace('context: XContext', "users: XContext['users']")}users.find();`), index],
    ],
    ['handlers/user has no index.ts', [handler(usecase + body)]],
    [
      'handlers/user/get-user.ts renames a use case',
      [handler(usecase.replace('getUser', 'getUser as find') + body), index],
    ],
    ['usecases/a.ts knows _id', [{ file: 'usecases/a.ts', text: 'const { _id } = user;' }]],
    [
      'usecases/a.ts knows messages of its own service',
      [{ file: 'usecases/a.ts', text: "import type { User } from '@panel/protos/planted';" }],
    ],
    [
      'getUser is in usecases/a.ts, usecases/b.ts',
      ['usecases/a.ts', 'usecases/b.ts'].map((file) => ({ file, text: 'export async function getUser() {}' })),
    ],
    ['context.ts has more than 80 lines', [{ file: 'context.ts', text: 'line\n'.repeat(81) }]],
  ] as const) {
    it(`reports that ${problem}`, () => expect(problemsOf('planted', sources)).to.deep.equal([problem]));
  }
});
