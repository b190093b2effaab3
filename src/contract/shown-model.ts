interface Named {
  readonly model: string | null;
  readonly requestedModel: string;
}

/** What a call is shown under: what served it, or the name that was asked for where that was nothing or only a pattern. */
export const shownModel = ({ model, requestedModel }: Named): string =>
  model === null || model.includes("*") ? requestedModel : model;
