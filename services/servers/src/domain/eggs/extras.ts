import { isMap, parseJsonTree, stringifyTree, type Tree } from './json-tree.js';

type Section = ReadonlyMap<string, Tree>;

/** Larger ones would slow each read of an egg. */
export const maxExtrasLength = 256 * 1024;

export interface EggFileSections {
  readonly root: Section;
  readonly meta: Section;
  readonly config: Section;
  readonly startup: Section;
  readonly script: Section;
  readonly variables: ReadonlyMap<string, Section>;
}

/** `image` is a container image or an icon. */
const known: Readonly<Record<keyof EggFileSections, ReadonlySet<string>>> = {
  root: new Set(
    (
      '_comment meta exported_at nest_id uuid name author description features docker_images images image file_denylist startup ' +
      'startup_commands force_outgoing_ip config scripts variables'
    ).split(' '),
  ),
  meta: new Set(['version']),
  config: new Set(['files', 'startup', 'logs', 'stop', 'stop_grace']),
  startup: new Set(['done', 'strip_ansi']),
  script: new Set(['script', 'container', 'entrypoint']),
  variables: new Set('name description env_variable default_value user_viewable user_editable rules sort'.split(' ')),
};

const none: EggFileSections = {
  root: new Map(),
  meta: new Map(),
  config: new Map(),
  startup: new Map(),
  script: new Map(),
  variables: new Map(),
};

/** Empty: none. */
export function encodeExtras(sections: EggFileSections): string {
  const icon = sections.root.get('image');
  const root = new Map(unknownOf('root', sections.root));
  if (typeof icon === 'string' && icon.startsWith('data:')) root.set('image', icon);
  const variables = [...sections.variables].map(([name, fields]) => [name, variableExtras(fields)] as const);
  const all: [string, ReadonlyMap<string, Tree>][] = [
    ['root', root],
    ['meta', new Map([...unknownOf('meta', sections.meta)].filter(([, value]) => value !== null))],
    ['config', unknownOf('config', sections.config)],
    ['startup', unknownOf('startup', sections.startup)],
    ['script', unknownOf('script', sections.script)],
    ['variables', new Map(variables.filter(([, fields]) => fields.size > 0))],
  ];
  const used = all.filter(([, section]) => section.size > 0);
  return used.length === 0 ? '' : stringifyTree(new Map<string, Tree>(used));
}

/** Throws TreeError. */
export function decodeExtras(json: string): EggFileSections {
  const tree = json === '' ? new Map<string, Tree>() : parseJsonTree(json);
  if (!isMap(tree)) return none;
  const section = (name: string): Section => {
    const found = tree.get(name);
    return isMap(found) ? found : new Map();
  };
  const variables = [...section('variables')].map(
    ([name, fields]) => [name, isMap(fields) ? fields : new Map()] as const,
  );
  return {
    root: section('root'),
    meta: section('meta'),
    config: section('config'),
    startup: section('startup'),
    script: section('script'),
    variables: new Map(variables),
  };
}

function unknownOf(name: keyof EggFileSections, section: Section): Section {
  return new Map([...section].filter(([key]) => !known[name].has(key)));
}

/** Exports add `text` for a variable without a field type. */
function variableExtras(fields: Section): Section {
  return new Map(
    [...unknownOf('variables', fields)].filter(([key, value]) => key !== 'field_type' || value !== 'text'),
  );
}
