import { assertNever } from '@panel/kit/errors';
import {
  type ConfigFile as ProtoFile,
  ConfigFile_Parser,
  type ConfigFile_Replacement as ProtoReplacement,
} from '@panel/protos/files';
import type { ConfigFile, Parser, Replacement, Value } from '../../domain/config-file.js';

const parsers: Readonly<Partial<Record<ConfigFile_Parser, Parser>>> = {
  [ConfigFile_Parser.FILE]: 'file',
  [ConfigFile_Parser.PROPERTIES]: 'properties',
  [ConfigFile_Parser.INI]: 'ini',
  [ConfigFile_Parser.YAML]: 'yaml',
  [ConfigFile_Parser.JSON]: 'json',
  [ConfigFile_Parser.TOML]: 'toml',
  [ConfigFile_Parser.XML]: 'xml',
};

export function readConfigFile({ path, parser, createFile, replacements }: ProtoFile): ConfigFile {
  return {
    path,
    parser: parsers[parser] ?? null,
    isCreated: createFile,
    replacements: replacements.map(readReplacement),
  };
}

function readReplacement({ key, value, condition }: ProtoReplacement): Replacement {
  return { key, value: readValue(value), condition: condition ?? null };
}

function readValue(value: ProtoReplacement['value']): Value {
  switch (value?.$case) {
    case 'flag':
      return { kind: 'flag', text: String(value.value) };
    case 'number':
      return { kind: 'number', text: String(value.value) };
    case 'text':
      return { kind: 'text', text: value.value };
    case undefined:
      return { kind: 'text', text: '' };
    default:
      return assertNever(value);
  }
}
