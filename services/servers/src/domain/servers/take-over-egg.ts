import type { Egg } from '../eggs/egg.js';
import type { EggSnapshot, GameServer } from './server.js';

export interface EggChange {
  readonly eggId: string;
  readonly egg: EggSnapshot;
  readonly dockerImage: string;
  readonly startup: string;
  /** Variables that take the egg's values. */
  readonly resetVariables: readonly string[];
}

/** Empty or absent: from the egg. */
export interface Chosen {
  readonly dockerImage?: string | undefined;
  readonly startup?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Defaults follow the egg; choices of this server stay while the egg offers them. */
export function takeOverEgg(server: GameServer, egg: Egg, asked: Chosen): EggChange {
  const isOther = egg.id !== server.eggId;
  const before = server.egg;
  const wasListed = before.dockerImages.some(({ image }) => image === server.dockerImage);
  const isListed = egg.spec.dockerImages.some(({ image }) => image === server.dockerImage);
  const keepsImage = isListed || (!isOther && !wasListed);
  // A command follows its label.
  const chosen = before.startupCommands.find(({ command }) => command === server.startup);
  const again = egg.spec.startupCommands.find(({ label }) => label === chosen?.label);
  const keepsStartup = !isOther && !chosen && server.startup !== before.startup;
  return {
    eggId: egg.id,
    egg: snapshotOf(egg),
    dockerImage:
      asked.dockerImage ?? (keepsImage ? server.dockerImage : (egg.spec.dockerImages[0]?.image ?? server.dockerImage)),
    startup: asked.startup || (keepsStartup ? server.startup : (again?.command ?? egg.spec.startup)),
    resetVariables: isOther ? resetVariables(server, egg, asked.environment ?? {}) : [],
  };
}

/** Customers could not set them right for another egg, such as its Steam app. */
export function resetVariables(
  { environment }: Pick<GameServer, 'environment'>,
  { spec }: Egg,
  asked: Readonly<Record<string, string>>,
): string[] {
  return spec.variables
    .filter(({ userViewable, userEditable }) => !(userViewable && userEditable))
    .map(({ envVariable }) => envVariable)
    .filter((name) => Object.hasOwn(environment, name) && !Object.hasOwn(asked, name));
}

export function snapshotOf({ spec }: Egg): EggSnapshot {
  const { name, features, dockerImages, startup, startupCommands, config, script, variables } = spec;
  const { fileDenylist, forceOutgoingIp } = spec;
  return {
    name,
    features,
    dockerImages,
    startup,
    startupCommands,
    config,
    script,
    fileDenylist,
    forceOutgoingIp,
    variables,
  };
}
