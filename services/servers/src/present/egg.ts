import { Egg as EggMessage, type EggSpec as EggSpecMessage, Nest as NestMessage } from '@panel/protos/servers';
import type { Egg, EggSpec, Nest } from '../domain/eggs/egg.js';
import { splitRules } from '../domain/eggs/rules.js';

export function presentNest(nest: Nest, eggsCount: number): NestMessage {
  return NestMessage.create({
    id: nest.id,
    name: nest.name,
    description: nest.description,
    author: nest.author,
    eggsCount,
    createTime: nest.createdAt,
    updateTime: nest.updatedAt,
  });
}

export function presentEgg(egg: Egg): EggMessage {
  const { spec } = egg;
  return EggMessage.create({
    id: egg.id,
    nestId: egg.nestId,
    uuid: egg.uuid,
    spec: {
      name: spec.name,
      description: spec.description,
      author: spec.author,
      features: [...spec.features],
      dockerImages: spec.dockerImages.map(({ label, image }) => ({ label, image })),
      startup: spec.startup,
      startupCommands: spec.startupCommands.map(({ label, command }) => ({ label, command })),
      config: {
        filesJson: spec.config.filesJson,
        startupDone: [...spec.config.startupDone],
        startupStripAnsi: spec.config.startupStripAnsi,
        logsJson: spec.config.logsJson,
        stop: spec.config.stop,
        stopGraceSeconds: spec.config.stopGraceSeconds ?? 0,
      },
      script: { install: spec.script.install, container: spec.script.container, entrypoint: spec.script.entrypoint },
      fileDenylist: [...spec.fileDenylist],
      forceOutgoingIp: spec.forceOutgoingIp,
      variables: spec.variables.map((variable) => ({
        name: variable.name,
        description: variable.description,
        envVariable: variable.envVariable,
        defaultValue: variable.defaultValue,
        userViewable: variable.userViewable,
        userEditable: variable.userEditable,
        rules: [...variable.rules],
      })),
      extrasJson: spec.extrasJson,
    },
    createTime: egg.createdAt,
    updateTime: egg.updatedAt,
  });
}

/** A spec as it came, with the defaults of what it leaves out; not checked. */
export function readEggSpec(message: EggSpecMessage): EggSpec {
  const { config, script } = message;
  return {
    name: message.name.trim(),
    description: message.description,
    author: message.author,
    features: message.features,
    dockerImages: message.dockerImages,
    startup: message.startup || (message.startupCommands[0]?.command ?? ''),
    startupCommands: message.startupCommands,
    config: {
      filesJson: config?.filesJson || '{}',
      startupDone: (config?.startupDone ?? []).filter((part) => part !== ''),
      startupStripAnsi: config?.startupStripAnsi ?? false,
      logsJson: config?.logsJson || '{}',
      stop: (config?.stop ?? '').trim(),
      stopGraceSeconds: config?.stopGraceSeconds || null,
    },
    script: {
      install: script?.install ?? '',
      container: script?.container ?? '',
      entrypoint: script?.entrypoint || 'bash',
    },
    fileDenylist: message.fileDenylist,
    forceOutgoingIp: message.forceOutgoingIp,
    extrasJson: '',
    variables: message.variables.map((variable) => ({
      ...variable,
      name: variable.name || variable.envVariable,
      rules: variable.rules.length === 1 ? variable.rules.flatMap(splitRules) : variable.rules,
    })),
  };
}
