import { ConfigFile as ConfigFileMessage, ConfigFile_Parser, type ConfigFile_Replacement } from '@panel/protos/files';
import type { Parser } from '../domain/eggs/config-files.js';
import type { RenderedFile, RenderedValue } from '../domain/eggs/render-config.js';

const parsers: Readonly<Record<Parser, ConfigFile_Parser>> = {
  file: ConfigFile_Parser.FILE,
  properties: ConfigFile_Parser.PROPERTIES,
  ini: ConfigFile_Parser.INI,
  yaml: ConfigFile_Parser.YAML,
  yml: ConfigFile_Parser.YAML,
  json: ConfigFile_Parser.JSON,
  toml: ConfigFile_Parser.TOML,
  xml: ConfigFile_Parser.XML,
};

export function toConfigFileMessage({ path, parser, isCreated, replacements }: RenderedFile): ConfigFileMessage {
  return ConfigFileMessage.create({
    path,
    parser: parsers[parser],
    createFile: isCreated,
    replacements: replacements.map(({ key, value, condition }) => ({ key, value: toValue(value), condition })),
  });
}

function toValue(value: RenderedValue): ConfigFile_Replacement['value'] {
  if (typeof value === 'boolean') return { $case: 'flag', value };
  if (typeof value === 'number') return { $case: 'number', value };
  return { $case: 'text', value };
}
