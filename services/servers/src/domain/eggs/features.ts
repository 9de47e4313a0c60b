import type { DockerImage } from './egg.js';

export const featureNames = ['eula', 'java_version', 'steam_disk_space', 'gsl_token', 'pid_limit'] as const;
/** What an egg may declare that its game can ask for on its console. Other features of eggs mean nothing to the panel. */
export type FeatureName = (typeof featureNames)[number];

/** A game asks for something. */
export interface FeatureNotice {
  readonly feature: FeatureName;
  /** What the game wrote. */
  readonly line: string;
  /** Of `java_version`: the image of the egg that fits; null when none does, or another feature asks. */
  readonly dockerImage: string | null;
  /** Of `java_version`: what the game needs; null when it does not say. */
  readonly javaVersion: number | null;
}

/** Parts of lines, in lower case: the same that other panels watch for. */
const parts: Readonly<Record<FeatureName, readonly string[]>> = {
  eula: ['you need to agree to the eula in order to run the server'],
  java_version: [
    'java.lang.unsupportedclassversionerror',
    'unsupported major.minor version',
    'has been compiled by a more recent version of the java runtime',
    'requires running the server with java',
    'unsupported java detected',
    'incompatible with the java version',
  ],
  steam_disk_space: ['steamcmd needs 250mb of free disk space to update', '0x202 after update job'],
  gsl_token: ['(gsl token expired)', '(account not found)', 'gslt', 'no gameserver login token'],
  pid_limit: [
    'pthread_create failed',
    'failed to create thread',
    'unable to create thread',
    'unable to create native thread',
    'unable to create new native thread',
    'exception in thread "craft async scheduler management thread"',
  ],
};

const maxLineLength = 2048;
// oxlint-disable-next-line no-control-regex -- colours within a line must not hide what it says
const colours = /\u001b\[[\d;:]*m/g;

/** The features of an egg that the panel knows. */
export function knownFeatures(features: readonly string[]): FeatureName[] {
  return featureNames.filter((name) => features.includes(name));
}

/** What a line of a game asks for, of the features of its egg; null: nothing. */
export function detectFeature(
  features: readonly FeatureName[],
  text: string,
  images: readonly DockerImage[],
): FeatureNotice | null {
  const line = text.slice(0, maxLineLength).replace(colours, '');
  const lower = line.toLowerCase();
  const feature = features.find((name) => parts[name].some((part) => lower.includes(part)));
  if (feature === undefined) return null;
  if (feature !== 'java_version') return { feature, line, dockerImage: null, javaVersion: null };
  const javaVersion = requiredJava(lower);
  return { feature, line, javaVersion, dockerImage: javaVersion === null ? null : imageForJava(images, javaVersion) };
}

const classFileOffset = 44;

/** The Java version that a line asks for: in words, or by the version of a class file, which is 44 more. */
function requiredJava(line: string): number | null {
  const classFile = /class file version (\d+)|major\.minor version (\d+)/.exec(line);
  if (classFile) return Number(classFile[1] ?? classFile[2]) - classFileOffset;
  const words = /(?:requires|needs|with|use|at least|upgrade to)[^\d]{0,60}java[^\d]{0,20}(\d+)/.exec(line);
  return words ? Number(words[1]) : null;
}

/** The image with the lowest Java that is new enough, by its label or its name. */
export function imageForJava(images: readonly DockerImage[], version: number): string | null {
  const fitting = images
    .flatMap(({ label, image }) => {
      const java = /java[\s_:-]*(\d+)/i.exec(`${label} ${image}`) ?? /(?:jdk|jre|openjdk)[\s_:-]*(\d+)/i.exec(image);
      return java && Number(java[1]) >= version ? [{ image, java: Number(java[1]) }] : [];
    })
    .sort((one, other) => one.java - other.java);
  return fitting[0]?.image ?? null;
}

const tokenVariables = ['STEAM_ACC', 'STEAM_TOKEN', 'GSL_TOKEN', 'GSLT', 'STEAM_GSLT', 'SERVER_TOKEN', 'LOGIN_TOKEN'];

/** The variable of an egg that holds the login token of a game server, or null. */
export function tokenVariable(variables: readonly { readonly envVariable: string }[]): string | null {
  return tokenVariables.find((name) => variables.some(({ envVariable }) => envVariable === name)) ?? null;
}
