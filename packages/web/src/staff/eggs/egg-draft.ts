import type { Egg, OptionsOf } from '@panel/client';

export type EggBody = NonNullable<OptionsOf<'PUT /admin/eggs/{id}'>['body']>;

export interface DraftVariable {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly env_variable: string;
  readonly default_value: string;
  readonly user_viewable: boolean;
  readonly user_editable: boolean;
  /** Separated by |, as in egg files. */
  readonly rules: string;
}

export interface EggDraft {
  readonly name: string;
  readonly description: string;
  /** Lines of "label | image". The first is the default. */
  readonly images: string;
  readonly startup: string;
  /** Lines of "label | command". */
  readonly commands: string;
  readonly stop: string;
  readonly done: string;
  readonly configFiles: string;
  readonly install: string;
  readonly container: string;
  readonly entrypoint: string;
  readonly denylist: string;
  readonly variables: readonly DraftVariable[];
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** "label | value"; a line without a label is its own label. */
export function pairsOf(text: string): [string, string][] {
  return linesOf(text).map((line) => {
    const at = line.indexOf('|');
    return at < 0 ? [line, line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

const textOfPairs = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([label, value]) => (label === value ? value : `${label} | ${value}`)).join('\n');

export function draftOf(egg: Egg): EggDraft {
  const images = Object.entries(egg.docker_images);
  const isDefault = ([, image]: readonly [string, string]): boolean => image === egg.docker_image;
  return {
    name: egg.name,
    description: egg.description,
    images: textOfPairs([...images.filter(isDefault), ...images.filter((pair) => !isDefault(pair))]),
    startup: egg.startup,
    commands: textOfPairs(Object.entries(egg.startup_commands)),
    stop: egg.config.stop,
    done: egg.config.startup.done.join('\n'),
    configFiles: JSON.stringify(egg.config.files, null, 2),
    install: egg.script.install,
    container: egg.script.container,
    entrypoint: egg.script.entrypoint,
    denylist: egg.file_denylist.join('\n'),
    variables: egg.variables.map((variable) => ({
      ...variable,
      key: crypto.randomUUID(),
      rules: variable.rules.join('|'),
    })),
  };
}

export function bodyOf(draft: EggDraft, egg: Egg): EggBody {
  const images = pairsOf(draft.images);
  const [first] = images;
  return {
    name: draft.name.trim(),
    description: draft.description,
    docker_images: Object.fromEntries(images),
    ...(first ? { docker_image: first[1] } : {}),
    startup: draft.startup,
    startup_commands: Object.fromEntries(pairsOf(draft.commands)),
    config: {
      ...egg.config,
      files: JSON.parse(draft.configFiles || '{}') as Record<string, unknown>,
      startup: { ...egg.config.startup, done: linesOf(draft.done) },
      stop: draft.stop,
    },
    script: { install: draft.install, container: draft.container.trim(), entrypoint: draft.entrypoint.trim() },
    file_denylist: linesOf(draft.denylist),
    variables: draft.variables.map((variable) => ({
      name: variable.name,
      description: variable.description,
      env_variable: variable.env_variable,
      default_value: variable.default_value,
      user_viewable: variable.user_viewable,
      user_editable: variable.user_editable,
      rules: splitRules(variable.rules),
    })),
  };
}

export function newVariable(): DraftVariable {
  return {
    key: crypto.randomUUID(),
    name: '',
    description: '',
    env_variable: '',
    default_value: '',
    user_viewable: true,
    user_editable: true,
    rules: 'required|string',
  };
}

/** After regex: all is one rule, because an expression may contain |. */
export function splitRules(text: string): string[] {
  const at = text.search(/(?:^|\|)(?:not_)?regex:/);
  if (at < 0) return text.split('|').filter((rule) => rule !== '');
  const start = text[at] === '|' ? at + 1 : at;
  const before = text
    .slice(0, Math.max(0, start - 1))
    .split('|')
    .filter((rule) => rule !== '');
  return [...before, text.slice(start)];
}
