export const nameTab = (name: string): void => {
  document.title = `${name} · Turnpike`;
};
