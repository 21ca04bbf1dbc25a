/* Keeps the files of a launch whose content is made when they are first opened. */
#ifndef BOOTCUT_FILES_H
#define BOOTCUT_FILES_H

/*
 * `files LINK DIRECTORY COUNT`: makes the files DIRECTORY/0 … COUNT-1, says `ready` on stdout, and asks for the content of
 * each as soon as somebody opens it, who waits for that long. Until stdin ends; then whoever still waits finds an empty file.
 * Returns an exit status.
 */
int keep_files(char **args);

#endif
