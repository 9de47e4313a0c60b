import {
  Egg as EggMessage,
  type EggApplication as EggApplicationMessage,
  EggApplication_Outcome,
  Nest as NestMessage,
} from '@panel/protos/servers';
import type { Egg } from '../domain/eggs/egg.js';
import type { EggApplication } from '../usecases/eggs/apply-egg.js';
import type { CountedNest } from '../usecases/nests/get-nest.js';

export function presentNest(nest: CountedNest): NestMessage {
  return NestMessage.create({
    id: nest.id,
    name: nest.name,
    description: nest.description,
    author: nest.author,
    eggsCount: nest.eggsCount,
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

const outcomes: Readonly<Record<EggApplication['outcome'], EggApplication_Outcome>> = {
  unchanged: EggApplication_Outcome.UNCHANGED,
  changed: EggApplication_Outcome.CHANGED,
  busy: EggApplication_Outcome.BUSY,
};

export function presentEggApplication(application: EggApplication): EggApplicationMessage {
  const { serverId, name, outcome, differences } = application;
  return {
    serverId,
    name,
    outcome: outcomes[outcome],
    differences: differences.map(({ field, before, after }) => ({ field, before, after })),
  };
}
