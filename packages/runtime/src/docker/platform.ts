import { runtimeError } from '../reasons.js';

/** As engines and images name it. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** Of ARM; empty: none. */
  readonly variant?: string;
}

/** Architectures that processors of another one run by themselves; those from which engines choose by default. */
const included: Readonly<Record<string, readonly string[]>> = { amd64: ['386'], arm64: ['arm'] };

/** "linux/arm64" or "linux/arm/v7". */
export function platformText({ os, architecture, variant = '' }: Platform): string {
  return [os, architecture, ...(variant === '' ? [] : [variant])].join('/');
}

/** `emulated`: what the operator has made the node run beside that. An image that names no architecture runs. */
export function runsOn(image: Platform, node: Platform, emulated: readonly string[]): boolean {
  if (image.architecture === '' || node.architecture === '') return true;
  const isOwn = image.architecture === node.architecture;
  const isIncluded = included[node.architecture]?.includes(image.architecture) === true;
  if (image.os === node.os && (isOwn || isIncluded)) return true;
  return emulated.includes(platformText(image)) || emulated.includes(`${image.os}/${image.architecture}`);
}

/** `image` null: the registry has none for the node. */
export function wrongPlatform(name: string, image: Platform | null, node: Platform, cause?: unknown) {
  const own = platformText(node);
  const made = image ? `is made for ${platformText(image)}` : 'is made for other processors';
  return runtimeError(
    'IMAGE_WRONG_PLATFORM',
    `the image ${name} ${made}, and this node runs ${own}: choose an image or a node that fits`,
    { image: name, node_platform: own, ...(image && { platform: platformText(image) }) },
    { cause },
  );
}
