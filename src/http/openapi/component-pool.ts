interface Reference extends Readonly<Record<string, unknown>> {
  readonly $ref: string;
}

type SectionName = "parameters" | "requestBodies" | "responses";

/** What one section of `components` has, by its name. */
export class ComponentSection {
  readonly parts: Record<string, object>;

  constructor(
    private readonly name: "schemas" | SectionName,
    known: Readonly<Record<string, object>> = {},
  ) {
    this.parts = { ...known };
  }

  /** Under the first of these names that is free. `write` comes after the name is taken: it may add parts of its own. */
  add(names: readonly [string, ...string[]], write: () => object): Reference {
    const name = names.find((one) => !Object.hasOwn(this.parts, one)) ?? this.numbered(names[0]);
    this.parts[name] = {};
    this.parts[name] = write();
    return { $ref: `#/components/${this.name}/${name}` };
  }

  private numbered(name: string): string {
    let number = 2;
    while (Object.hasOwn(this.parts, `${name}_${number}`)) number++;
    return `${name}_${number}`;
  }
}

/** Parts that stand in several places of a description are said once and referred to. All are counted before the first is written. */
export class ComponentPool {
  private readonly uses = new Map<string, number>();
  private readonly references = new Map<string, Reference>();
  private readonly section: ComponentSection;

  constructor(name: SectionName) {
    this.section = new ComponentSection(name);
  }

  get parts(): Readonly<Record<string, object>> {
    return this.section.parts;
  }

  count(part: object): void {
    const text = JSON.stringify(part);
    this.uses.set(text, (this.uses.get(text) ?? 0) + 1);
  }

  write(part: object, name: string): object {
    const text = JSON.stringify(part);
    if ((this.uses.get(text) ?? 0) < 2) return part;
    const reference = this.references.get(text) ?? this.section.add([name], () => part);
    this.references.set(text, reference);
    return reference;
  }
}
