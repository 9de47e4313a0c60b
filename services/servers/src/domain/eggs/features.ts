import { withoutEscapes } from '../console/terminal-text.js';
import type { DockerImage } from './egg.js';

export const featureNames = ['eula', 'java_version', 'steam_disk_space', 'gsl_token', 'pid_limit'] as const;
/** Other features have no effect. */
export type FeatureName = (typeof featureNames)[number];

export interface FeatureNotice {
  readonly feature: FeatureName;
  readonly line: string;
  /** For `java_version`: the matching image, else null. */
  readonly dockerImage: string | null;
  /** For `java_version`; null if unnamed. */
  readonly javaVersion: number | null;
}

/** In lower case, as in other panels. */
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

export function knownFeatures(features: readonly string[]): FeatureName[] {
  return featureNames.filter((name) => features.includes(name));
}

/** Null: no match. */
export function detectFeature(
  features: readonly FeatureName[],
  text: string,
  images: readonly DockerImage[],
): FeatureNotice | null {
  const line = withoutEscapes(text).slice(0, maxLineLength);
  const lower = line.toLowerCase();
  const feature = features.find((name) => parts[name].some((part) => lower.includes(part)));
  if (feature === undefined) return null;
  if (feature !== 'java_version') return { feature, line, dockerImage: null, javaVersion: null };
  const javaVersion = requiredJava(lower);
  return { feature, line, javaVersion, dockerImage: javaVersion === null ? null : imageForJava(images, javaVersion) };
}

const classFileOffset = 44;

/** Class file versions are 44 higher. */
function requiredJava(line: string): number | null {
  const classFile = /class file version (\d+)|major\.minor version (\d+)/.exec(line);
  if (classFile) return Number(classFile[1] ?? classFile[2]) - classFileOffset;
  const words = /(?:requires|needs|with|use|at least|upgrade to)[^\d]{0,60}java[^\d]{0,20}(\d+)/.exec(line);
  return words ? Number(words[1]) : null;
}

/** The lowest sufficient Java. */
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

export function tokenVariable(variables: readonly { readonly envVariable: string }[]): string | null {
  return tokenVariables.find((name) => variables.some(({ envVariable }) => envVariable === name)) ?? null;
}
