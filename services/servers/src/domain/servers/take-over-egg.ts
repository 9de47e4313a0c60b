import type { Egg } from '../eggs/egg.js';
import type { EggSnapshot, GameServer } from './server.js';

/** What a reinstallation takes over from the egg as it is now. */
export interface EggChange {
  readonly eggId: string;
  readonly egg: EggSnapshot;
  readonly dockerImage: string;
  readonly startup: string;
}

/** What was asked for together with the reinstallation; empty or absent: what follows from the egg. */
export interface Chosen {
  readonly dockerImage?: string | undefined;
  readonly startup?: string | undefined;
}

/** What was the egg's choice follows the egg; what was chosen for this server stays while the egg still offers it. */
export function takeOverEgg(server: GameServer, egg: Egg, asked: Chosen): EggChange {
  const isOther = egg.id !== server.eggId;
  const before = server.egg;
  const wasListed = before.dockerImages.some(({ image }) => image === server.dockerImage);
  const isListed = egg.spec.dockerImages.some(({ image }) => image === server.dockerImage);
  const keepsImage = isListed || (!isOther && !wasListed);
  // A command that was chosen by its label stays chosen, as the egg has it now.
  const chosen = before.startupCommands.find(({ command }) => command === server.startup);
  const again = egg.spec.startupCommands.find(({ label }) => label === chosen?.label);
  const keepsStartup = !isOther && !chosen && server.startup !== before.startup;
  return {
    eggId: egg.id,
    egg: snapshotOf(egg),
    dockerImage:
      asked.dockerImage ?? (keepsImage ? server.dockerImage : (egg.spec.dockerImages[0]?.image ?? server.dockerImage)),
    startup: asked.startup || (keepsStartup ? server.startup : (again?.command ?? egg.spec.startup)),
  };
}

/** What a server keeps of its egg from its installation on. */
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
