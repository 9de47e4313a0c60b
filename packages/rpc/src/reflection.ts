import { accessSync } from 'node:fs';
import type { Server, ServiceDefinition, UntypedHandleCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { descriptorSet, readDescriptors } from '@panel/protos/descriptors';

const healthService = 'grpc.health.v1.Health';

interface Added {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Of these services, as the compiler describes our proto files, and of the file of the library that serves health.
 * Reads them at the first request.
 */
export function addReflection(server: Server, services: readonly string[], healthFile: string): void {
  // Missing files fail the start.
  for (const file of [descriptorSet, healthFile]) accessSync(file);
  let answering: Added[] | undefined;
  const implementationOf = (version: number) => {
    answering ??= servicesOf({ ...ourPackage(), ...loadSync(healthFile) }, [...services, healthService]);
    return answering[version]?.implementation;
  };
  for (const [version, { definition, implementation }] of servicesOf({}, []).entries()) {
    const methods = Object.keys(implementation).map((name) => {
      const answer = (...call: unknown[]) => {
        const handle = implementationOf(version)?.[name] as ((...call: unknown[]) => unknown) | undefined;
        return handle?.(...call);
      };
      return [name, answer as UntypedHandleCall] as const;
    });
    server.addService(definition, Object.fromEntries(methods));
  }
}

/** The library reads nothing else of a package. */
function ourPackage(): PackageDefinition {
  return { all: { fileDescriptorProtos: readDescriptors() } } as never;
}

function servicesOf(definition: PackageDefinition, services: readonly string[]): Added[] {
  const added: Added[] = [];
  const collector = {
    addService: (definition: ServiceDefinition, implementation: UntypedServiceImplementation) =>
      added.push({ definition, implementation }),
  };
  new ReflectionService(definition, { services: [...services] }).addToServer(collector);
  return added;
}
