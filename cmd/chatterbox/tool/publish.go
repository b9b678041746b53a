package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/registry"
	"chatterbox/runtime/toolbox"
)

// origin says how to trust what comes from a registry.
type origin struct {
	key      string
	unsigned bool
}

func (o *origin) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.key, "key", "", "trust what is signed with this public key `file`, beside those in the folder keys of the data folder")
	cmd.Flags().BoolVar(&o.unsigned, "unsigned", false, "install from a registry without a signature; only by digest")
}

// fetch gives the tool that argument names: a path where there is a file, else a reference.
func (o *origin) fetch(ctx context.Context, host *cli.Host, settings config.Config, argument string) (parcel, error) {
	if _, err := os.Stat(argument); err == nil {
		return readParcel(argument)
	}
	reference, err := registry.ParseReference(argument)
	if err != nil {
		return parcel{}, cli.Usage("name a file, a folder or a reference", "there is no file %s, and %w", cli.InLine(argument), err)
	}
	if o.unsigned && !reference.Pinned() {
		return parcel{}, cli.Usage("name it by its digest: HOST/NAME@sha256:…", "--unsigned is not for a tag, which may mean something else tomorrow")
	}
	keys, err := o.keys(settings)
	if err != nil {
		return parcel{}, err
	}
	host.UseOwnRoots()
	client, err := registry.New(registry.Options{Login: true})
	if err != nil {
		return parcel{}, cli.Infrastructure("", err)
	}
	defer client.Close()
	pinned, err := client.Resolve(ctx, reference)
	if err != nil {
		return parcel{}, cli.Infrastructure("", err)
	}
	if pinned != reference {
		fmt.Fprintf(host.Env.Stdout, "%s is %s\n", reference, pinned.Digest())
	}
	p := parcel{locked: lockedFile{Source: reference.String(), Pinned: pinned.String()}}
	if !o.unsigned {
		key, err := client.Verify(ctx, pinned, keys)
		if errors.Is(err, registry.ErrUnsigned) {
			return parcel{}, cli.FailedHint(
				"put the publisher's key into "+settings.InData(config.KeysFolder)+", or name it with --key", "%w", err)
		} else if err != nil {
			return parcel{}, cli.Failed("check the signature: %w", err)
		}
		p.locked.SignedBy = key.Fingerprint()
	}
	tool, err := client.Pull(ctx, pinned)
	if err != nil {
		return parcel{}, cli.Failed("%w", err)
	}
	p.module, p.manifest = tool.Module, tool.Manifest
	return p, nil
}

// keys are those that the person trusts.
func (o *origin) keys(settings config.Config) ([]registry.PublicKey, error) {
	files, err := filepath.Glob(filepath.Join(settings.InData(config.KeysFolder), "*.pub"))
	if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	if o.key != "" {
		files = append(files, o.key)
	}
	var keys []registry.PublicKey
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, cli.Usage("", "read the key: %w", err)
		}
		key, err := registry.ParsePublicKey(text)
		if err != nil {
			return nil, cli.Usage("", "%s: %w", cli.InLine(file), err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func publishCommand(host *cli.Host) *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use: "publish FILE|FOLDER HOST/NAME:TAG", Short: "Put a tool into a registry, and sign it", Args: cobra.ExactArgs(2),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			reference, err := registry.ParseReference(args[1])
			if err != nil || reference.Pinned() {
				return cli.Usage("", "publish under a tag, such as example.org/tools/weather:1.0: %s", args[1])
			}
			var key registry.PrivateKey
			if keyFile != "" {
				text, err := os.ReadFile(keyFile)
				if err == nil {
					key, err = registry.ParsePrivateKey(text)
				}
				if err != nil {
					return cli.Usage("", "read the key: %w", err)
				}
			}
			p, err := readParcel(args[0])
			if err != nil {
				return err
			}
			if err := checkParcel(ctx, host, settings, p); err != nil {
				return err
			}
			pinned, err := publish(ctx, host, reference, p, key, keyFile != "")
			if err != nil {
				return cli.Infrastructure("", err)
			}
			fmt.Fprintln(host.Env.Stdout, pinned)
			return nil
		}),
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "sign with this private key `file` (ECDSA in PEM, without a password)")
	return cmd
}

// checkParcel refuses to publish what nobody could install.
func checkParcel(ctx context.Context, host *cli.Host, settings config.Config, p parcel) error {
	t, err := openInstalled(ctx, host, settings)
	if err != nil {
		return err
	}
	defer t.Close()
	if _, _, err := toolbox.Inspect(ctx, t.Pool, p.module, p.manifest); err != nil {
		return cli.Failed("%s cannot be published: %w", cli.InLine(p.locked.Source), err)
	}
	return nil
}

func publish(
	ctx context.Context, host *cli.Host, reference registry.Reference, p parcel, key registry.PrivateKey, sign bool,
) (registry.Reference, error) {
	host.UseOwnRoots()
	client, err := registry.New(registry.Options{Login: true})
	if err != nil {
		return registry.Reference{}, err
	}
	defer client.Close()
	pinned, err := client.Push(ctx, reference, registry.Tool{Module: p.module, Manifest: p.manifest})
	if err == nil && sign {
		err = client.Sign(ctx, pinned, key)
	}
	return pinned, err
}
